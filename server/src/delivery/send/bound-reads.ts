import type { Socket } from 'node:net'

const MOST_BYTES_AT_ONCE = 16 * 1024

/**
 * Lets whoever reads a socket have at most 16 KB at a time, and asks before each piece whether there may be more of it.
 * Without this a parser is handed all that has come, and one that takes in what it does not hand on (the reason of a
 * status, interim answers, blanks, chunk extensions) does so for as long as the other side likes to send it.
 */
export function boundReads(socket: Socket, mayRead: (bytes: number) => boolean): Socket {
  const read = socket.read
  socket.read = () => {
    if (socket.destroyed) return null
    const bytes = Math.min(socket.readableLength, MOST_BYTES_AT_ONCE)
    return bytes === 0 || mayRead(bytes) ? read.call(socket, bytes || undefined) : null
  }
  return socket
}
