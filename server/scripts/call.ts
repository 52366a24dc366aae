// Calls Postern as the app and the user of the demo seed: npm run call -- GET http://127.0.0.1:4001/12/accounts count=10
import { openAsBlob } from 'node:fs'
import { basename } from 'node:path'
import { parseArgs } from 'node:util'
import { DEMO_SEED, readSeed } from '../src/endpoints/operator/seed/read-seed.ts'
import { readExactJson, writeExactJson } from '../src/lib/numbers.ts'
import { signRequest } from './sign-request.ts'

const USAGE = `npm run call -- <GET|POST|PUT|DELETE> <url> [name=value …] [--json <body>] [--as <user id>]
Parameters go into the query of GET and DELETE, into JSON for paths under /2/, else into a form; in JSON a value may be true, false, {…} or […].
With name=@file they go into a multipart body with that file. --json is the body as it is. --as calls as another user who has a token in the demo seed.
`

function fail(says: string): never {
  process.stderr.write(`${says}\n`)
  process.exit(1)
}

function readArguments() {
  try {
    return parseArgs({ allowPositionals: true, options: { json: { type: 'string' }, as: { type: 'string' } } })
  } catch (error) {
    return fail(`${(error as Error).message}\n${USAGE}`)
  }
}

const { values: options, positionals } = readArguments()
const [method = '', address = '', ...given] = positionals
if (!/^(GET|POST|PUT|DELETE)$/.test(method) || !URL.canParse(address)) fail(USAGE)
const parameters = given.map((parameter): [string, string] => {
  const [, name, value] = /^([^=]+)=(.*)$/s.exec(parameter) ?? fail(`${parameter} is not name=value\n${USAGE}`)
  return [name!, value!]
})

const { document } = await readSeed(DEMO_SEED)
const { consumer_key: consumerKey = '', consumer_secret: consumerSecret = '' } = document.apps![0]!
const tokens = document.tokens!
const { oauth_token: token, oauth_token_secret: tokenSecret } =
  tokens.find(({ user_id }) => options.as === undefined || user_id === options.as) ??
  fail(`the demo seed has no token of user ${options.as}, but of ${tokens.map(({ user_id }) => user_id).join(', ')}`)

/** A value of a JSON body: a text, unless it is spelled as something else; ids stay texts. */
function jsonValue(value: string): unknown {
  try {
    return /^(true|false|[[{].*)$/s.test(value) ? JSON.parse(value) : value
  } catch {
    return fail(`${value} is not JSON`)
  }
}

/** A multipart body with the parameters; the value of a file is `@` and its path. */
async function multipart(): Promise<FormData> {
  const form = new FormData()
  for (const [name, value] of parameters) {
    if (!value.startsWith('@')) form.append(name, value)
    else {
      const file = await openAsBlob(value.slice(1)).catch((error: Error) => fail(error.message))
      form.append(name, file, basename(value.slice(1)))
    }
  }
  return form
}

const url = new URL(address)
const isBodyGiven = options.json !== undefined
const hasBody = method === 'POST' || method === 'PUT'
const isMultipart = hasBody && parameters.some(([, value]) => value.startsWith('@'))
const isJsonCall = hasBody && url.pathname.startsWith('/2/')
const form = hasBody && !isBodyGiven && !isJsonCall && !isMultipart ? parameters : undefined
if (!hasBody || isBodyGiven) for (const [name, value] of parameters) url.searchParams.append(name, value)
const authorization = signRequest({ method, url: url.href, form, consumerKey, consumerSecret, token, tokenSecret })

const jsonOfParameters = () => JSON.stringify(Object.fromEntries(parameters.map(([name, value]) => [name, jsonValue(value)])))
const json = options.json ?? (isJsonCall && !isMultipart ? jsonOfParameters() : undefined)
const headers = { authorization, ...(json !== undefined && { 'content-type': 'application/json' }) }
const body = json ?? (isMultipart ? await multipart() : form && new URLSearchParams(form))
const response = await fetch(url, { method, headers, body }).catch((error) => fail(`${url.origin}: ${error.cause ?? error}`))
const text = await response.text()
const isJsonAnswer = response.headers.get('content-type')?.includes('json')
const explained = response.headers.get('x-postern-explain')
if (!response.ok) process.stderr.write(`${response.status} ${response.statusText}${explained ? `, explained at ${explained}` : ''}\n`)
process.stdout.write(`${isJsonAnswer ? writeExactJson(readExactJson(text), 2) : text}\n`)
process.exitCode = response.ok ? 0 : 1
