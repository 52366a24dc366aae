import { lookup } from 'node:dns/promises'
import { once } from 'node:events'
import type { Server } from 'node:http'
import { type AddressInfo, createServer, type Server as SocketServer } from 'node:net'

/** The addresses that a server listens on. */
interface Listeners {
  /** The same on all of them. */
  port: number
  /** Lets the process end although it listens. */
  unref(): void
  /** Stops accepting; resolves once every connection has ended. */
  close(): Promise<void>
}

/** `localhost` is an address of each family, and clients take either. */
export const addressesOf = async (host: string): Promise<string[]> =>
  host === 'localhost' ? (await lookup(host, { all: true })).map(({ address }) => address) : [host]

async function listenOn(server: SocketServer, port: number, address: string): Promise<number> {
  await once(server.listen(port, address), 'listening')
  return (server.address() as AddressInfo).port
}

/**
 * Listens on the first address, and on those of the others that can be had: a machine may lack a family of addresses. What connects to any of
 * them is a connection of the server, with all of its limits.
 */
export async function openListeners(server: Server, port: number, [first, ...others]: readonly string[]): Promise<Listeners> {
  const given = await listenOn(server, port, first!)
  const listening: SocketServer[] = [server]
  for (const address of others) {
    const beside = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => server.emit('connection', socket))
    beside.maxConnections = server.maxConnections
    await listenOn(beside, given, address).then(
      () => listening.push(beside),
      () => {},
    )
  }
  return {
    port: given,
    unref() {
      for (const one of listening) one.unref()
    },
    async close() {
      await Promise.all(listening.map((one) => new Promise((closed) => one.close(closed))))
    },
  }
}
