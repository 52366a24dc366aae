import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Chunk, Outlet } from '../declare/endless-answer.ts'
import type { RawAnswer } from '../declare/raw-request.ts'

/**
 * Chunks are written to the connection itself: they are framed already, so that one write does where the library would make three. It knows
 * of the framing that it announced in the headers, and writes the end of it.
 */
function outletTo(response: ServerResponse, socket: Socket): Outlet {
  const isChunked = response.chunkedEncoding
  let writtenBytes = 0
  const write = ({ framed, bytes }: Chunk) => {
    const written = isChunked ? framed : bytes
    writtenBytes += written.length
    socket.write(written)
  }
  return {
    write(chunk) {
      if (!socket.destroyed) write(chunk)
    },
    waitingBytes: () => socket.writableLength,
    isFull: () => socket.writableNeedDrain,
    sentBytes: () => writtenBytes - Math.min(writtenBytes, socket.writableLength),
    end(last) {
      if (socket.destroyed) return
      write(last)
      response.end()
    },
    destroy: () => void socket.destroy(),
  }
}

/** Nothing is written to a client that has left. */
const nowhere: Outlet = { write() {}, waitingBytes: () => 0, isFull: () => false, sentBytes: () => 0, end() {}, destroy() {} }

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
  response.flushHeaders()
  const listener = endless!(outletTo(response, socket))
  socket.on('drain', listener.drained)
  response.once('close', () => {
    socket.off('drain', listener.drained)
    listener.closed()
  })
}
