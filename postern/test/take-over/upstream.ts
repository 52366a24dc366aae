import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

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

/** Starts a server on loopback; one that says its name and what it got unless told otherwise. */
export async function startUpstream(name = 'one', answer: RequestListener = echo(name), address = '127.0.0.1'): Promise<Upstream> {
  const server = createServer(answer).listen(0, address)
  const open = new Set()
  server.on('connection', (socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
  })
  await once(server, 'listening')
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    connections: () => open.size,
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}
