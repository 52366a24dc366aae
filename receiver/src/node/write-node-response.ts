import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ReceiverResponse } from '../handle-request.ts'

const LINGER_MS = 500

/**
 * Writes a response. If the request's body is incomplete, the rest is not read and the connection is closed a little
 * later. Closed at once, a client that is still sending may get a connection reset before it reads the response (RFC 9112 §9.6).
 */
export function writeNodeResponse(request: IncomingMessage, response: ServerResponse, answer: ReceiverResponse): void {
  const body = Buffer.from(JSON.stringify(answer.body))
  const headers = { ...answer.headers, 'content-type': 'application/json', 'content-length': body.byteLength }
  if (request.complete) return void response.writeHead(answer.status, headers).end(body)
  response.writeHead(answer.status, { ...headers, connection: 'close' }).write(body)
  const linger = setTimeout(() => response.end(), LINGER_MS)
  response.once('close', () => clearTimeout(linger))
}
