import { type IncomingMessage, type ServerResponse, request as sendHttp } from 'node:http'
import { request as sendHttps } from 'node:https'
import { pipeline } from 'node:stream'

/** What stands between two hops only (RFC 9110, section 7.6.1), and what a client cannot say of itself. */
const NOT_FORWARDED = /^(?:connection|keep-alive|proxy-.*|te|trailer|upgrade|host|forwarded|x-forwarded-.*)$/i
const NOT_ANSWERED = /^(?:connection|keep-alive|proxy-.*|transfer-encoding|trailer|upgrade)$/i

/** Names and values as they came, in order, except these. */
const rawExcept = (rawHeaders: readonly string[], except: RegExp): string[] =>
  rawHeaders.filter((_, place) => !except.test(rawHeaders[place - (place % 2)]!))

interface Destination {
  /** The origin that answers: `http://127.0.0.1:4000`. */
  origin: string
  /** What the client called. */
  scheme: 'http' | 'https'
  host: string
  path: string
}

const hasBody = ({ headers }: IncomingMessage) => headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined

function headersFor(request: IncomingMessage, { origin, scheme, host }: Destination): string[] {
  const framed = hasBody(request) || ['GET', 'HEAD', 'DELETE', 'OPTIONS'].includes(request.method!) ? [] : ['Content-Length', '0']
  return [
    ...['Host', new URL(origin).host],
    ...rawExcept(request.rawHeaders, NOT_FORWARDED),
    ...framed,
    ...['X-Forwarded-Proto', scheme, 'X-Forwarded-Host', host, 'X-Forwarded-For', request.socket.remoteAddress ?? '127.0.0.1'],
    ...['Connection', 'close'],
  ]
}

/** Answers what a client understands that expects JSON, and what a person does. */
export function refuse(response: ServerResponse, status: number, detail: string, headers: Readonly<Record<string, string>> = {}): void {
  if (response.headersSent) return void response.destroy()
  const body = JSON.stringify({ title: 'Postern', detail, status, errors: [{ message: detail }] })
  response.writeHead(status, { 'content-type': 'application/problem+json', connection: 'close', ...headers }).end(body)
}

/** Passes an answer back as a stream. One that HTTP does not allow, such as a status below 100, is refused. */
export function answerWith(response: ServerResponse, answer: IncomingMessage, rawHeaders: string[]): void {
  try {
    response.writeHead(answer.statusCode!, answer.statusMessage, rawHeaders)
  } catch (error) {
    answer.destroy()
    return void refuse(response, 502, `The answer cannot be passed on: ${(error as Error).message}`)
  }
  response.flushHeaders()
  pipeline(answer, response, (error) => error && response.destroy())
}

/**
 * Passes a request on to Postern and its answer back, as streams: bytes and headers as they are, an end before the end as an end. A client
 * that waits for `100 Continue` gets Postern's.
 */
export function forward(request: IncomingMessage, response: ServerResponse, to: Destination): void {
  const { protocol, hostname, port } = new URL(to.origin)
  const headers = headersFor(request, to)
  const send = protocol === 'https:' ? sendHttps : sendHttp
  const onward = send({ hostname: hostname.replace(/^\[|\]$/g, ''), port, method: request.method, path: to.path, headers, agent: false })
  onward.once('response', (answer) => answerWith(response, answer, rawExcept(answer.rawHeaders, NOT_ANSWERED)))
  onward.on('error', (error) => refuse(response, 502, `Postern at ${to.origin} does not answer: ${error.message}`))
  response.once('close', () => response.writableFinished || onward.destroy())
  const sendBody = () => request.pipe(onward)
  if (request.headers.expect?.toLowerCase() !== '100-continue') return void sendBody()
  onward.once('continue', () => {
    response.writeContinue()
    sendBody()
  })
  onward.flushHeaders()
}
