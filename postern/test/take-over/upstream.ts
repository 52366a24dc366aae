import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Certificate } from '../../../server/test/stage/certificates.ts'

/** A server that answers every request with what it got. */
export interface Upstream extends AsyncDisposable {
  origin: string
  /** The connections that are open. */
  connections(): number
}

export interface Echoed {
  method: string
  url: string
  headers: Record<string, string>
  rawHeaders: string[]
  bytes: number
  name: string
}

const echo = (name: string) => async (request: IncomingMessage, response: ServerResponse) => {
  let bytes = 0
  for await (const chunk of request) bytes += chunk.length
  const { method, url, headers, rawHeaders } = request
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify({ method, url, headers, rawHeaders, bytes, name }))
}

async function start(server: Server, scheme: string, address: string): Promise<Upstream> {
  server.listen(0, address)
  const open = new Set()
  server.on('connection', (socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
  })
  await once(server, 'listening')
  return {
    origin: `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}`,
    connections: () => open.size,
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

/** Starts a server on loopback; one that says its name and what it got unless told otherwise. */
export const startUpstream = (name = 'one', answer: RequestListener = echo(name), address = '127.0.0.1'): Promise<Upstream> =>
  start(createServer(answer), 'http', address)

/** The same with TLS. */
export const startSecureUpstream = (certificate: Certificate): Promise<Upstream> =>
  start(createHttpsServer(certificate, echo('secure')), 'https', '127.0.0.1')
