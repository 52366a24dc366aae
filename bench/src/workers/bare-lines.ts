// node:http alone: writes a prepared line to each connection, as often as Postern's streams write theirs.
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { line, type StreamArgument } from '../streams/fixtures.ts'
import { serveLines } from '../streams/serve-lines.ts'
import { readArgument } from './serve.ts'

const { batch } = readArgument<StreamArgument>()
const clients: ServerResponse[] = []

const server = createServer((_request, response) => {
  response.writeHead(200, { 'content-type': 'application/json' })
  response.flushHeaders()
  clients.push(response)
}).listen(0, '127.0.0.1')
await once(server, 'listening')

serveLines({
  url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  connections: () => clients.length,
  send() {
    for (const client of clients) for (let count = 0; count < batch; count++) client.write(line)
    return clients.length * batch
  },
  isDrained: () => clients.every(({ writableLength }) => writableLength === 0),
  close: () => server.closeAllConnections(),
})
