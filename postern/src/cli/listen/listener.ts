import { createHmac, randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, request as requestHttp, type ServerResponse } from 'node:http'
import { request as requestHttps } from 'node:https'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { readExactJson } from '../exact-json.ts'

/** How long a callback may take (§4.2). */
const TIMEOUT_MS = 10_000

const BAD_GATEWAY = 502

/** Headers of one connection (RFC 9110, section 7.6.1); the length is that of the same body, and the host is another. */
const OWN_HEADERS = new Set(['connection', 'keep-alive', 'proxy-connection', 'transfer-encoding', 'upgrade', 'te', 'trailer', 'host'])

/** What the URL answered, or `error` where it did not. */
interface Forwarded {
  status: number
  /** Name, value, name, value. */
  headers: string[]
  body: Buffer
  error?: string
}

/** Names and values as they came, with the spelling and order that they had. */
function passedOn(raw: readonly string[]): string[] {
  const kept: string[] = []
  for (let place = 0; place < raw.length; place += 2)
    if (!OWN_HEADERS.has(raw[place]!.toLowerCase())) kept.push(raw[place]!, raw[place + 1]!)
  return kept
}

/** The URL with what stands in the query of the request after its own. */
function targetOf(to: URL, { url }: IncomingMessage): URL {
  const [, query] = url!.split('?', 2)
  if (query === undefined) return to
  const target = new URL(to)
  target.search = target.search === '' ? query : `${target.search}&${query}`
  return target
}

/** Sends a request on to a URL, byte for byte, and returns its answer. A URL that does not answer is one that answered 502. */
async function forward(incoming: IncomingMessage, body: Buffer, to: URL): Promise<Forwarded> {
  const target = targetOf(to, incoming)
  const send = target.protocol === 'https:' ? requestHttps : requestHttp
  const headers = ['host', target.host, ...passedOn(incoming.rawHeaders)]
  try {
    const response = await new Promise<IncomingMessage>((resolve, reject) =>
      send(target, { method: incoming.method, headers, agent: false, signal: AbortSignal.timeout(TIMEOUT_MS) }, resolve)
        .once('error', reject)
        .end(body),
    )
    return { status: response.statusCode!, headers: passedOn(response.rawHeaders), body: await buffer(response) }
  } catch (error) {
    const said = (error as Error).name === 'AbortError' ? `no answer within ${TIMEOUT_MS / 1000} s` : (error as Error).message
    return {
      status: BAD_GATEWAY,
      headers: [],
      body: Buffer.from(said),
      error: `${to.origin}: ${said || (error as NodeJS.ErrnoException).code}`,
    }
  }
}

/** Every callback of `postern listen` begins so: those that were left behind are found by it. */
export const LISTEN_PATH = '/postern-listen/'

const ID_BYTES = 12

/** What came, and what became of it. */
export interface Received {
  at: string
  kind: 'event' | 'challenge'
  /** The parsed body of an event. */
  event?: unknown
  headers: IncomingMessage['headers']
  status: number
  ms: number
  /** Why it could not be passed on. */
  error?: string
}

interface ListenerOptions {
  /** What signs the answers to challenges. */
  secret: string
  /** Where events go; undefined to answer them with 200 here. */
  to: URL | undefined
  forwardChallenges: boolean
  received: (received: Received) => void
}

interface Listener {
  /** The callback. */
  url: string
  close(): Promise<void>
}

const answer = (status: number, json?: object): Forwarded => ({
  status,
  headers: json ? ['content-type', 'application/json'] : [],
  body: Buffer.from(json ? JSON.stringify(json) : ''),
})

function answerChallenge(request: IncomingMessage, secret: string): Forwarded {
  const token = new URL(request.url!, 'http://localhost').searchParams.get('crc_token')
  if (token === null) return answer(400, { error: 'crc_token is missing' })
  return answer(200, { response_token: `sha256=${createHmac('sha256', secret).update(token).digest('base64')}` })
}

function parsed(body: Buffer): unknown {
  try {
    return readExactJson(body.toString())
  } catch {
    return undefined
  }
}

/** Listens on a free port of loopback as a callback; answers challenges, and passes events on. */
export async function startListener({ secret, to, forwardChallenges, received }: ListenerOptions): Promise<Listener> {
  const path = LISTEN_PATH + randomBytes(ID_BYTES).toString('base64url')

  const answerTo = (request: IncomingMessage, body: Buffer): Promise<Forwarded> | Forwarded => {
    const isChallenge = request.method === 'GET'
    if (isChallenge && !(forwardChallenges && to)) return answerChallenge(request, secret)
    return to ? forward(request, body, to) : answer(200)
  }

  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await buffer(request)
    if (!request.url!.startsWith(path)) return response.writeHead(404).end()
    const startedMs = performance.now()
    const { status, headers, body: said, error } = await answerTo(request, body)
    const ms = Math.round(performance.now() - startedMs)
    response.writeHead(status, headers).end(said)
    const isEvent = request.method === 'POST'
    received({
      at: new Date().toISOString(),
      kind: isEvent ? 'event' : 'challenge',
      headers: request.headers,
      status,
      ms,
      ...(isEvent && { event: parsed(body) }),
      ...(error !== undefined && { error }),
    })
    return response
  }

  const server = createServer((request, response) => void handle(request, response).catch(() => response.destroy()))
  await new Promise<void>((listening, reject) => server.once('error', reject).listen(0, '127.0.0.1', listening))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`,
    close: () =>
      new Promise((closed) => {
        server.close(() => closed())
        server.closeAllConnections()
      }),
  }
}
