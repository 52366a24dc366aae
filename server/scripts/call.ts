// Calls Postern as the app and the user of the demo seed: npm run call -- GET http://127.0.0.1:4001/12/accounts count=10
import { DEMO_SEED, readSeed } from '../src/endpoints/operator/seed/read-seed.ts'
import { readExactJson, writeExactJson } from '../src/lib/numbers.ts'
import { signRequest } from './sign-request.ts'

const USAGE =
  'npm run call -- <GET|POST|PUT|DELETE> <url> [name=value …]   (parameters go into the query of GET and DELETE, else into a form)\n'

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

const url = new URL(address)
const form = method === 'POST' || method === 'PUT' ? parameters : undefined
if (!form) for (const [name, value] of parameters) url.searchParams.append(name, value)
const authorization = signRequest({ method, url: url.href, form, consumerKey, consumerSecret, token, tokenSecret })

const body = form && new URLSearchParams(form)
const response = await fetch(url, { method, headers: { authorization }, body }).catch((error) =>
  fail(`${url.origin}: ${error.cause ?? error}`),
)
const text = await response.text()
const isJson = response.headers.get('content-type')?.includes('json')
const explained = response.headers.get('x-postern-explain')
if (!response.ok) process.stderr.write(`${response.status} ${response.statusText}${explained ? `, explained at ${explained}` : ''}\n`)
process.stdout.write(`${isJson ? writeExactJson(readExactJson(text), 2) : text}\n`)
process.exitCode = response.ok ? 0 : 1
