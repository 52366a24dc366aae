// The callbacks of every figure: HTTP/1.1 by hand on raw sockets, one listener for each webhook's address, all in this one process.
import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { signature } from '../../../server/src/lib/hmac.ts'
import { addressOf, CONSUMER_SECRET } from '../delivery/stand.ts'
import type { ReceiverAnswer, ReceiverQuestion } from '../receiver.ts'
import { argument, serve } from './serve.ts'

const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'
const HEAD_END = '\r\n\r\n'
const CONTENT_LENGTH = /\r\ncontent-length: *(\d+)/i

let received = 0
let awaited = Number.POSITIVE_INFINITY
let reached = () => {}

const count = () => {
  received += 1
  if (received >= awaited) reached()
}

/** A challenge is answered as a real callback would, or the webhook would turn invalid. */
function challengeAnswer(target: string): string {
  const token = new URL(target, 'http://callback').searchParams.get('crc_token') ?? ''
  const body = JSON.stringify({ response_token: signature(CONSUMER_SECRET, token) })
  return `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`
}

function answer(head: string, socket: Socket) {
  if (head.startsWith('GET ')) return socket.write(challengeAnswer(head.split(' ')[1]!))
  count()
  return socket.write(OK)
}

function take(socket: Socket) {
  let head = ''
  let bodyLeft = 0
  socket.setNoDelay(true)
  socket.on('error', () => socket.destroy())
  socket.on('data', (chunk: Buffer) => {
    for (let at = 0; at < chunk.length; ) {
      if (bodyLeft === 0) {
        const carried = head.length
        head += chunk.toString('latin1', at)
        const end = head.indexOf(HEAD_END)
        if (end === -1) return
        at += end + HEAD_END.length - carried
        bodyLeft = Number(CONTENT_LENGTH.exec(head)?.[1] ?? 0)
        head = head.slice(0, end)
      }
      const body = Math.min(bodyLeft, chunk.length - at)
      at += body
      bodyLeft -= body
      if (bodyLeft > 0) return
      answer(head, socket)
      head = ''
    }
  })
}

const servers = Array.from({ length: argument<{ addresses: number }>().addresses }, () => createServer(take))
let port = 0
for (const [place, server] of servers.entries()) {
  server.listen(port, addressOf(place))
  await once(server, 'listening')
  port = (server.address() as { port: number }).port
}

const until = (least: number) =>
  new Promise<void>((resolve) => {
    awaited = least
    reached = resolve
    if (received >= least) resolve()
  })

serve<ReceiverQuestion, ReceiverAnswer>(
  async ({ atLeast }) => {
    await until(atLeast)
    return { port, received }
  },
  () => {},
)
