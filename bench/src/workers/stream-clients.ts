// Clients that connect to streams and read whatever comes, without looking at it.
import { connect, type Socket } from 'node:net'
import type { ConnectRequest } from '../streams/clients.ts'
import { serve } from './serve.ts'

const sockets: Socket[] = []

const open = (port: number, path: string, token: string) =>
  new Promise<void>((resolve, reject) => {
    const socket = connect(port, '127.0.0.1')
    sockets.push(socket)
    socket.on('error', reject)
    socket.once('data', (head) => {
      if (head.toString('latin1', 0, 12) !== 'HTTP/1.1 200') reject(new Error(head.toString('latin1', 0, 400)))
      else resolve()
      socket.on('data', () => {})
    })
    socket.write(`GET ${path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nauthorization: Bearer ${token}\r\n\r\n`)
  })

const AT_ONCE = 50

serve(
  async ({ url, path, tokens }: ConnectRequest) => {
    const port = Number(new URL(url).port)
    for (let at = 0; at < tokens.length; at += AT_ONCE)
      await Promise.all(tokens.slice(at, at + AT_ONCE).map((token) => open(port, path, token)))
    return { open: sockets.filter(({ destroyed }) => !destroyed).length }
  },
  () => {
    for (const socket of sockets) socket.destroy()
  },
)
