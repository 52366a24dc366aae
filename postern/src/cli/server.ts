import { readFile } from 'node:fs/promises'
import { type Addresses, addressesOf } from '../kit/addresses.ts'
import { readExactJson, writeExactJson } from './exact-json.ts'
import { EXIT, Failure, wrongUsage } from './failure.ts'

const TOKEN_FILE = '.postern/operator-token'
const TIMEOUT_MS = 60_000

/** A JSON object or list; what stands in it is the API's. */
// biome-ignore lint/suspicious/noExplicitAny: answers have members of every kind
export type Json = any

export interface Answer {
  status: number
  headers: Headers
  text: string
  /** Undefined when the body is not JSON. */
  body: Json
}

interface Sent {
  method: string
  url: string
  headers?: Record<string, string>
  body?: RequestInit['body']
  timeoutMs?: number
}

interface OperatorCall {
  query?: Record<string, string | undefined>
  json?: unknown
  timeoutMs?: number
}

/** The Postern that commands talk to, by HTTP alone. */
export interface Server {
  /** The origin of the general API. */
  url: string
  /** The origin of the operator endpoints. */
  operatorUrl: string
  /** Sends a request as it is. Throws a `Failure` when it cannot be sent, nothing answers there, or the answer breaks off. */
  send(sent: Sent): Promise<Answer>
  /** The same with the operator token where there is one; it goes to no other origin than `url`. */
  sendAsOperator(sent: Sent): Promise<Answer>
  /** Calls an operator endpoint; returns the body. Throws a `Failure` for a refusal. */
  operator(method: string, path: string, call?: OperatorCall): Promise<Json>
}

type Environment = Readonly<Record<string, string | undefined>>

export interface ServerOptions {
  url?: string
  operatorUrl?: string
  operatorToken?: string
}

const isOrigin = (text: string) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)

/** Throws unless what an option or a variable says is an origin. */
function checkOrigin(option: string, said: string | undefined, variable: string, inEnvironment: string | undefined) {
  const given = said ?? inEnvironment
  if (given === undefined || isOrigin(given)) return
  throw wrongUsage(`${said === undefined ? variable : option} must be an origin such as http://127.0.0.1:4000, and is ${given}`)
}

/** Where Postern is: the options, the environment, the server that runs in this folder, or loopback with the ports of the settings. */
export function placeOf({ url, operatorUrl }: ServerOptions, environment: Environment): Addresses {
  checkOrigin('--url', url, 'POSTERN_URL', environment.POSTERN_URL)
  checkOrigin('--operator-url', operatorUrl, 'POSTERN_OPERATOR_URL', environment.POSTERN_OPERATOR_URL)
  const { running, ...addresses } = addressesOf({ url, operatorUrl }, environment)
  return { url: new URL(addresses.url).origin, operatorUrl: new URL(addresses.operatorUrl).origin, running }
}

interface Token {
  token: string
  source: string
}

async function tokenIn(file: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch((error: Error) => {
    throw wrongUsage(`POSTERN_OPERATOR_TOKEN_FILE names ${file}, which cannot be read: ${error.message}`)
  })
  return text.trim()
}

/** The operator token, and where it comes from; undefined if there is none. */
async function tokenOf({ operatorToken }: ServerOptions, { running }: Addresses, environment: Environment): Promise<Token | undefined> {
  if (operatorToken !== undefined) return { token: operatorToken, source: '--operator-token' }
  if (running?.operator_token !== undefined) return { token: running.operator_token, source: '.postern/server.json' }
  const { POSTERN_OPERATOR_TOKEN: token, POSTERN_OPERATOR_TOKEN_FILE: file } = environment
  if (token !== undefined) return { token, source: 'POSTERN_OPERATOR_TOKEN' }
  if (file !== undefined) return { token: await tokenIn(file), source: file }
  const inFile = (await readFile(TOKEN_FILE, 'utf8').catch(() => '')).trim()
  return inFile === '' ? undefined : { token: inFile, source: TOKEN_FILE }
}

const noServer = (origin: string, cause: unknown) =>
  new Failure(
    `No Postern answers at ${origin}: start one with \`postern\`, or say where it is with --url or POSTERN_URL.\n${cause instanceof Error ? cause.message : cause}`,
    EXIT.noServer,
  )

/** Why there is no whole answer of a server that was reached. */
function noAnswer({ name, message, cause }: Error, { method, url, timeoutMs = TIMEOUT_MS }: Sent): Failure {
  const { origin, pathname } = new URL(url)
  if (name === 'TimeoutError') return new Failure(`${origin} did not answer within ${timeoutMs / 1000} s.`)
  const why = cause instanceof Error ? cause.message : message
  return new Failure(`${origin} broke off before its answer to ${method} ${pathname} was complete. The call may have been done.\n${why}`)
}

/** Whether a connection ended that had been made: undici has a code of its own for an end, and a reset is of a system call. */
const isBrokenOff = ({ code = '', syscall }: NodeJS.ErrnoException) =>
  code === 'UND_ERR_SOCKET' || (/^(ECONNRESET|EPIPE)$/.test(code) && /^(read|write)$/.test(syscall ?? ''))

/** Why `fetch` got no answer: a request that cannot be sent has no cause, and what happened on the network is the cause of an error. */
function failureOf(error: Error, sent: Sent): Failure {
  const { name, message, cause } = error
  const { origin, pathname } = new URL(sent.url)
  if (name === 'TimeoutError' || isBrokenOff((cause ?? {}) as Error)) return noAnswer(error, sent)
  if (cause === undefined) return wrongUsage(`${sent.method} ${origin}${pathname} cannot be sent: ${message}`)
  return noServer(origin, cause)
}

function jsonOf(text: string): Json {
  try {
    return readExactJson(text)
  } catch {
    return undefined
  }
}

async function send(sent: Sent): Promise<Answer> {
  const { method, url, headers, body, timeoutMs = TIMEOUT_MS } = sent
  const init: RequestInit = { method, headers, body, redirect: 'manual', signal: AbortSignal.timeout(timeoutMs) }
  const response = await fetch(url, init).catch((error: Error) => {
    throw failureOf(error, sent)
  })
  const text = await response.text().catch((error: Error) => {
    throw noAnswer(error, sent)
  })
  return { status: response.status, headers: response.headers, text, body: jsonOf(text) }
}

/** Whoever calls without a token hears first whether there is a server at all. */
async function noToken(url: string): Promise<Failure> {
  await send({ method: 'GET', url: `${url}/livez` })
  return wrongUsage(
    `There is no operator token: give --operator-token, POSTERN_OPERATOR_TOKEN or POSTERN_OPERATOR_TOKEN_FILE, or run this in the folder where Postern was started, which has ${TOKEN_FILE}.`,
  )
}

const wrongToken = (origin: string, source: string, answer: Answer) =>
  new Failure(
    `${origin} refuses the operator token of ${source}: Postern prints the right one when it starts, and keeps it in ${TOKEN_FILE}.`,
    EXIT.refused,
    answer,
  )

/** What a problem says of each mistake. */
export const messagesOf = ({ errors = [] }: Json): string[] =>
  errors.map((error: Json) => error.message ?? error.detail ?? error.title).filter((message: unknown) => typeof message === 'string')

/** Why a call was refused, as its problem says: each mistake, or else one sentence. Empty where it says nothing. */
export function reasonsOf(problem: Json): string[] {
  const messages = messagesOf(problem)
  return messages.length > 0 ? messages : [problem.detail ?? problem.error_description ?? problem.title ?? []].flat()
}

/** What a server answered to a call that it refused, in lines: the status, each error, and where the refusal is explained. */
export function sayProblem(called: string, { status, body, text, headers }: Answer): string {
  const problem = body ?? {}
  const reasons = reasonsOf(problem)
  const said = reasons.length > 0 ? reasons : [text.slice(0, 500)]
  const explained = headers.get('x-postern-explain')
  return [
    `${called}: ${status}${problem.title ? ` ${problem.title}` : ''}`,
    ...said.map((line) => `  ${line}`),
    explained && `  explained at ${explained}`,
  ]
    .filter(Boolean)
    .join('\n')
}

const UNAUTHORIZED = 401
const NOT_FOUND = 404

/** Whether the server has no endpoint at a path. It does not say whether it would have one in development. */
const isUnknownPath = ({ status, body }: Answer) =>
  status === NOT_FOUND && body?.type !== undefined && (body.detail === undefined || /^No endpoint has this path/.test(body.detail))

export function createServer(options: ServerOptions, environment: Environment = process.env): Server {
  const place = placeOf(options, environment)
  const { url, operatorUrl } = place
  const operator: Server['operator'] = async (method, path, { query = {}, json, timeoutMs } = {}) => {
    const known = await tokenOf(options, place, environment)
    if (known === undefined) throw await noToken(operatorUrl)
    const target = new URL(path, operatorUrl)
    for (const [name, value] of Object.entries(query)) if (value !== undefined) target.searchParams.set(name, value)
    const type: Record<string, string> = json === undefined ? {} : { 'content-type': 'application/json' }
    const headers = { authorization: `Bearer ${known.token}`, ...type }
    const body = json === undefined ? undefined : writeExactJson(json)
    const answer = await send({ method, url: target.href, headers, body, timeoutMs })
    if (answer.status < 300) return answer.body
    if (answer.status === UNAUTHORIZED) throw wrongToken(operatorUrl, known.source, answer)
    if (isUnknownPath(answer) || answer.body === undefined)
      throw new Failure(
        `${method} ${path} is not there at ${operatorUrl}: it answers ${answer.status}. Most operator endpoints that tests use exist in the development profile only.`,
        EXIT.refused,
        answer,
      )
    throw new Failure(sayProblem(`${method} ${path}`, answer), EXIT.refused, answer)
  }
  const sendAsOperator: Server['sendAsOperator'] = async (sent) => {
    const known = new URL(sent.url).origin === url ? await tokenOf(options, place, environment) : undefined
    return send(known === undefined ? sent : { ...sent, headers: { ...sent.headers, authorization: `Bearer ${known.token}` } })
  }
  return { url, operatorUrl, send, sendAsOperator, operator }
}
