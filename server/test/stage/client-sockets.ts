import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { Socket } from 'node:net'

/** The TCP sockets that this process opens as a client, from now on. */
export function watchClientSockets() {
  const sockets: Socket[] = []
  const opened = (message: unknown) => void sockets.push((message as { socket: Socket }).socket)
  subscribe('net.client.socket', opened)
  return {
    sockets: sockets as readonly Socket[],
    /** How many bytes have been read from each. */
    bytesRead: () => sockets.map((socket) => socket.bytesRead),
    [Symbol.dispose]: () => unsubscribe('net.client.socket', opened),
  }
}
