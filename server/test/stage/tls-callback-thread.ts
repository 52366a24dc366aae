// A callback over TLS in a thread of its own: see tls-callback.ts.
import type { AddressInfo } from 'node:net'
import { createServer, type TLSSocket, type TlsOptions } from 'node:tls'
import { parentPort, workerData } from 'node:worker_threads'

const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'
const port = parentPort!
let handshakes = 0
let resumed = 0

/** Each request is small, and comes in one piece. */
function serve(socket: TLSSocket) {
  handshakes++
  if (socket.isSessionReused()) resumed++
  const answer = () => void socket.write(OK)
  socket.on('error', () => {})
  socket.setNoDelay(true)
  socket.on('data', (request: Buffer) => {
    const ms = Number(/ \/(\d+) /.exec(request.toString('latin1'))![1])
    if (ms === 0) answer()
    else setTimeout(answer, ms)
  })
}

const server = createServer(workerData as TlsOptions, serve)
server.listen(0, '127.0.0.1', 1000, () => port.postMessage((server.address() as AddressInfo).port))
port.on('message', () => port.postMessage({ handshakes, resumed }))
