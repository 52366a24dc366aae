import { type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { buffer } from 'node:stream/consumers'

/** How long a callback may take (§4.2). */
const TIMEOUT_MS = 10_000

const BAD_GATEWAY = 502

/** Headers of one connection (RFC 9110, section 7.6.1); the length is that of the same body, and the host is another. */
const OWN_HEADERS = new Set(['connection', 'keep-alive', 'proxy-connection', 'transfer-encoding', 'upgrade', 'te', 'trailer', 'host'])

/** What the URL answered, or `error` where it did not. */
export interface Forwarded {
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
export async function forward(incoming: IncomingMessage, body: Buffer, to: URL): Promise<Forwarded> {
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
