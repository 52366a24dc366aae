import type { AddressInfo } from 'node:net'
import { createServer, type Server, type TLSSocket, type TlsOptions } from 'node:tls'

export interface TlsServer extends AsyncDisposable {
  server: Server
  port: number
  url: string
}

/** A server over TLS on loopback that speaks no protocol but what it is told. */
export async function startTlsServer(options: TlsOptions, connected: (socket: TLSSocket) => void): Promise<TlsServer> {
  const sockets = new Set<TLSSocket>()
  const server = createServer(options, (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    connected(socket)
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as AddressInfo
  return {
    server,
    port,
    url: `https://127.0.0.1:${port}/`,
    [Symbol.asyncDispose]: () =>
      new Promise((closed) => {
        server.close(() => closed())
        for (const socket of sockets) socket.destroy()
      }),
  }
}
