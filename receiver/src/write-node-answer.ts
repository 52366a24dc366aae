import type { IncomingMessage, ServerResponse } from 'node:http'
import { after } from './after.ts'
import type { Answer } from './incoming.ts'

const LINGER_MS = 500

/**
 * Writes an answer. If the request's body has not come in whole, the rest is not read and the connection is closed a
 * little later: closed at once, a client still sending may meet the reset before it reads the answer (RFC 9112 §9.6).
 */
export function writeNodeAnswer(request: IncomingMessage, response: ServerResponse, answer: Answer): void {
  const body = Buffer.from(JSON.stringify(answer.body))
  const headers = { ...answer.headers, 'content-type': 'application/json', 'content-length': body.byteLength }
  if (request.complete) return void response.writeHead(answer.status, headers).end(body)
  response.writeHead(answer.status, { ...headers, connection: 'close' }).write(body)
  const cancelClose = after(LINGER_MS, () => response.end())
  response.once('close', cancelClose)
}
