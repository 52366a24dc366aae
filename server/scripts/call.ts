// Calls Postern as the app and the user of the demo seed: npm run call -- GET http://127.0.0.1:4001/12/accounts count=10
import { DEMO_SEED, readSeed } from '../src/endpoints/operator/seed/read-seed.ts'
import { readExactJson, writeExactJson } from '../src/lib/numbers.ts'
import { signRequest } from './sign-request.ts'

const USAGE =
  'npm run call -- <GET|POST|PUT|DELETE> <url> [name=value …]   (parameters go into the query of GET and DELETE, into JSON for paths under /2/, else into a form; in JSON a value may be true, false, {…} or […])\n'

function fail(says: string): never {
  process.stderr.write(`${says}\n`)
  process.exit(1)
}

const [method = '', address = '', ...given] = process.argv.slice(2)
if (!/^(GET|POST|PUT|DELETE)$/.test(method) || !URL.canParse(address)) fail(USAGE)
const parameters = given.map((parameter): [string, string] => {
  const [, name, value] = /^([^=]+)=(.*)$/s.exec(parameter) ?? fail(`${parameter} is not name=value\n${USAGE}`)
  return [name!, value!]
})

const { document } = await readSeed(DEMO_SEED)
const { consumer_key: consumerKey = '', consumer_secret: consumerSecret = '' } = document.apps![0]!
const { oauth_token: token, oauth_token_secret: tokenSecret } = document.tokens![0]!

/** A value of a JSON body: a text, unless it is spelled as something else; ids stay texts. */
function jsonValue(value: string): unknown {
  try {
    return /^(true|false|[[{].*)$/s.test(value) ? JSON.parse(value) : value
  } catch {
    return fail(`${value} is not JSON`)
  }
}

const url = new URL(address)
const hasBody = method === 'POST' || method === 'PUT'
const isJsonCall = hasBody && url.pathname.startsWith('/2/')
const form = hasBody && !isJsonCall ? parameters : undefined
if (!hasBody) for (const [name, value] of parameters) url.searchParams.append(name, value)
const authorization = signRequest({ method, url: url.href, form, consumerKey, consumerSecret, token, tokenSecret })

const json = isJsonCall ? JSON.stringify(Object.fromEntries(parameters.map(([name, value]) => [name, jsonValue(value)]))) : undefined
const headers = { authorization, ...(json && { 'content-type': 'application/json' }) }
const body = json ?? (form && new URLSearchParams(form))
const response = await fetch(url, { method, headers, body }).catch((error) => fail(`${url.origin}: ${error.cause ?? error}`))
const text = await response.text()
const isJsonAnswer = response.headers.get('content-type')?.includes('json')
const explained = response.headers.get('x-postern-explain')
if (!response.ok) process.stderr.write(`${response.status} ${response.statusText}${explained ? `, explained at ${explained}` : ''}\n`)
process.stdout.write(`${isJsonAnswer ? writeExactJson(readExactJson(text), 2) : text}\n`)
process.exitCode = response.ok ? 0 : 1
