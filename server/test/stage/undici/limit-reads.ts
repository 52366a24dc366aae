import type { Socket } from 'node:net'

const MAX_BYTES_PER_READ = 16 * 1024

/**
 * Limits each read of a socket to 16 KB, and calls `mayRead` before each. Without this the parser gets everything that has arrived, and
 * bytes that it consumes without an event (reason phrases, interim responses, blanks, chunk extensions) would have no limit. Node itself
 * calls `read(0)`, which must take nothing: bytes wait in the socket while the receiver of a body has paused it.
 */
export function limitReads(socket: Socket, mayRead: (bytes: number) => boolean): Socket {
  const read = socket.read
  socket.read = (size?: number) => {
    if (size === 0) return read.call(socket, 0)
    if (socket.destroyed) return null
    const bytes = Math.min(socket.readableLength, MAX_BYTES_PER_READ)
    return bytes === 0 || mayRead(bytes) ? read.call(socket, bytes || undefined) : null
  }
  return socket
}
