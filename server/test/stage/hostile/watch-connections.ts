import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { Socket } from 'node:net'

/** The connections that servers of this process accept from now on and have not closed, oldest first. */
export function watchConnections() {
  const open = new Set<Socket>()
  const first = Promise.withResolvers<Socket>()
  const opened = (message: unknown) => {
    const { socket } = message as { socket: Socket }
    open.add(socket)
    first.resolve(socket)
    socket.once('close', () => open.delete(socket))
  }
  subscribe('net.server.socket', opened)
  return { open: open as ReadonlySet<Socket>, first: first.promise, [Symbol.dispose]: () => void unsubscribe('net.server.socket', opened) }
}
