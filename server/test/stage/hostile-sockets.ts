import type { Socket } from 'node:net'

/** What a server does with a connection. */
export type Hostility = (socket: Socket) => void

/** A request, or a TLS handshake, begins so. */
const BEGINNING = /^(?:(?:GET|POST) |\x16)/

/** Answers each request, once it has begun, with these bytes, and then does something. */
export const says =
  (text: string, then: Hostility = () => {}): Hostility =>
  (socket) =>
    void socket.on('data', (piece) => {
      if (!BEGINNING.test(piece.toString('latin1'))) return
      socket.write(text, 'latin1')
      then(socket)
    })

/** Answers a request with the beginning, and then with the rest again and again, as fast as it is read. */
export const floods = (beginning: string, rest: string): Hostility => {
  const endless = Buffer.from(rest.repeat(Math.ceil((64 * 1024) / rest.length)), 'latin1')
  return (socket) => {
    const pour = () => {
      while (!socket.destroyed && socket.write(endless));
    }
    socket.on('drain', pour).once('data', () => {
      socket.write(beginning, 'latin1')
      pour()
    })
  }
}

export const ends: Hostility = (socket) => void socket.end()
export const resets: Hostility = (socket) => void socket.resetAndDestroy()

/** A whole answer, with a body of so many bytes. */
export const withBody = (bytes: number): string => `HTTP/1.1 200 OK\r\ncontent-length: ${bytes}\r\n\r\n${'a'.repeat(bytes)}`
