// Clients that connect to a stream and read whatever comes, without looking at it.
import { connect, type Socket } from 'node:net'
import { serve } from '../worker.ts'

export interface ConnectRequest {
  url: string
  path: string
  connections: number
}

const AT_ONCE = 50
const sockets: Socket[] = []

const open = ({ url, path }: ConnectRequest) =>
  new Promise<void>((resolve, reject) => {
    const { host, port } = new URL(url)
    const socket = connect(Number(port), '127.0.0.1')
    sockets.push(socket)
    socket.on('error', reject)
    socket.once('data', (head) => {
      if (head.toString('latin1', 0, 12) !== 'HTTP/1.1 200') reject(new Error(head.toString('latin1', 0, 400)))
      else resolve()
      socket.on('data', () => {})
    })
    socket.write(`GET ${path} HTTP/1.1\r\nhost: ${host}\r\n\r\n`)
  })

serve(
  async (request: ConnectRequest) => {
    for (let left = request.connections; left > 0; left -= AT_ONCE)
      await Promise.all(Array.from({ length: Math.min(AT_ONCE, left) }, () => open(request)))
  },
  () => {
    for (const socket of sockets) socket.destroy()
  },
)
