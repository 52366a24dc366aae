import type { ServerResponse } from 'node:http'
import { pipeline } from 'node:stream'
import type { RawAnswer } from '../declare/raw-request.ts'

const DISCONNECTED = new Set(['ERR_STREAM_PREMATURE_CLOSE', 'ECONNRESET', 'EPIPE'])

/** The pieces of a stream, which must have as many bytes as its answer says: what follows would be read as another answer. */
async function* exactly(pieces: AsyncIterable<Uint8Array>, bytes: number): AsyncGenerator<Uint8Array> {
  let left = bytes
  for await (const piece of pieces) {
    left -= piece.length
    if (left < 0) break
    yield piece
    if (left === 0) return
  }
  if (left !== 0) throw new Error(`a stream has not the ${bytes} bytes that its answer says`)
}

/**
 * Sends the bytes of an answer as fast as the client reads them, after its head; none to HEAD. Where they end too early the connection is
 * cut: nothing else tells the client. `ended` is told of that, and not of a client that left.
 */
export function sendStream(response: ServerResponse, { stream, headers }: RawAnswer, ended: (error?: Error) => void) {
  if (response.req.method === 'HEAD') {
    stream!.destroy()
    response.end()
    return ended()
  }
  const bytes = Number(headers['content-length'])
  pipeline(
    stream!,
    (pieces: AsyncIterable<Uint8Array>) => exactly(pieces, bytes),
    response,
    (error) => ended(error && !DISCONNECTED.has(error.code ?? '') ? error : undefined),
  )
}
