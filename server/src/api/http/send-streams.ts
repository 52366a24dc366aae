import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { pipeline } from 'node:stream'
import type { Chunk, Outlet } from '../declare/endless-answer.ts'
import type { RawAnswer } from '../declare/raw-request.ts'

/** Nothing is written to a client that has left. */
const nowhere: Outlet = { write() {}, waitingBytes: () => 0, isFull: () => false, sentBytes: () => 0, end() {}, destroy() {} }

/**
 * Sends the headers of an answer and half of its body, and closes the connection, as a proxy or a network that fails. Of an answer that is
 * streamed only the headers are sent, of one without a body nothing. One without an end is opened and closed, so that it frees what it holds.
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
  if (response.req.method !== 'HEAD') endless?.(nowhere).closed()
}

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

/** What Node asks for its own timeouts: the bytes given to the system to write, and those of them that it has not taken yet. */
interface Handle {
  bytesWritten: number
  writeQueueSize: number
}

/**
 * The bytes that the system has taken. `writableLength` would not do: it stands still until everything that is written at once is taken, which
 * can be megabytes.
 */
function takenBytes(socket: Socket): number {
  const { _handle: handle } = socket as Socket & { _handle?: Handle | null }
  return handle ? handle.bytesWritten - handle.writeQueueSize : socket.bytesWritten
}

/**
 * Chunks are written to the connection itself: they are framed already, so that one write does where Node would make three. Node knows
 * of the framing that it announced in the headers, and writes the end of it.
 */
function outletTo(response: ServerResponse, socket: Socket): Outlet {
  const isChunked = response.chunkedEncoding
  const write = ({ framed, bytes }: Chunk) => {
    socket.write(isChunked ? framed : bytes)
  }
  return {
    write(chunk) {
      if (!socket.destroyed) write(chunk)
    },
    waitingBytes: () => socket.writableLength,
    isFull: () => socket.writableNeedDrain,
    sentBytes: () => takenBytes(socket),
    end(last) {
      if (socket.destroyed) return
      if (last.bytes.length > 0) write(last)
      response.end()
    },
    destroy: () => void socket.destroy(),
  }
}

const endlessOn = new WeakSet<Socket>()

/** Whether a connection has an answer without an end: nothing that is asked after it can be answered. */
export const hasEndless = (socket: Socket): boolean => endlessOn.has(socket)

/** Sends the headers of an answer without an end, and opens it. It is the last of its connection. */
export function sendEndless(response: ServerResponse, { status, headers, endless }: RawAnswer) {
  response.writeHead(status, { ...headers, connection: 'close' })
  if (response.req.method === 'HEAD') return void response.end()
  const { socket } = response
  if (!socket || response.destroyed) {
    // The client has left, or has sent this request before it had the answer to another.
    response.end()
    return endless!(nowhere).closed()
  }
  endlessOn.add(socket)
  response.flushHeaders()
  const listener = endless!(outletTo(response, socket))
  socket.on('drain', listener.drained)
  response.once('close', () => {
    socket.off('drain', listener.drained)
    listener.closed()
  })
}
