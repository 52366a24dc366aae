import type { ServerResponse } from 'node:http'
import type { RawAnswer } from '../declare/raw-request.ts'

/**
 * Sends the headers of an answer and half of its body, and closes the connection, as a proxy or a network that fails. Of an answer that is
 * streamed only the headers are sent, of one without a body nothing.
 */
export function sendCut(response: ServerResponse, { status, headers, body, stream, endless }: RawAnswer) {
  stream?.destroy()
  const bytes = Buffer.from(body)
  if (stream || endless || bytes.length > 0) {
    response.writeHead(status, { ...headers, ...(bytes.length > 0 && { 'content-length': bytes.length }) })
    response.flushHeaders()
    response.write(bytes.subarray(0, Math.ceil(bytes.length / 2)))
  }
  response.socket?.destroySoon()
}
