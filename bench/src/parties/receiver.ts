// The callbacks of every figure: HTTP/1.1 by hand on raw sockets, one listener for each webhook's address, all in this one process.
import { once } from 'node:events'
import { createServer as createTcpServer, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { signature } from '../../../server/src/lib/crypto.ts'
import { selfSigned } from '../../../server/test/stage/certificates.ts'
import { readStamp } from '../delivery/stamp.ts'
import { addressOf, CONSUMER_SECRET } from '../delivery/stand.ts'
import { mannerOf } from '../delivery/trouble.ts'
import type { ReceiverAnswer, ReceiverArgument, ReceiverQuestion } from '../receiver.ts'
import { argument, serve } from './serve.ts'

const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'
const FAILED = 'HTTP/1.1 500 Internal Server Error\r\ncontent-length: 0\r\n\r\n'
const EMPTY = Buffer.alloc(0)
const HEAD_END = '\r\n\r\n'
const CONTENT_LENGTH = /\r\ncontent-length: *(\d+)/i

const { addresses, authority } = argument<ReceiverArgument>()
const sockets = new Set<Socket>()
let troubled = false

let received = 0
let awaited = Number.POSITIVE_INFINITY
let reached = () => {}
/** Of stamped events that have come, by their number. */
let latenciesMs = new Map<number, number>()

function count(body: Buffer) {
  const stamp = readStamp(body)
  if (stamp && latenciesMs.has(stamp.number)) return
  if (stamp) latenciesMs.set(stamp.number, stamp.ageMs)
  received += 1
  if (received >= awaited) reached()
}

/** A challenge is answered as a real callback would, or the webhook would turn invalid. */
function challengeAnswer(target: string): string {
  const token = new URL(target, 'http://callback').searchParams.get('crc_token') ?? ''
  const body = JSON.stringify({ response_token: signature(CONSUMER_SECRET, token) })
  return `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`
}

/** One byte a second, for as long as anybody listens. */
function trickle(socket: Socket) {
  let at = 0
  const timer = setInterval(() => socket.write(OK[at++ % OK.length]!), 1000)
  socket.once('close', () => clearInterval(timer))
}

function answer(head: string, body: Buffer, socket: Socket, place: number) {
  if (head.startsWith('GET ')) return void socket.write(challengeAnswer(head.split(' ')[1]!))
  const manner = troubled ? mannerOf(place) : 'well'
  if (manner === 'hangs') return
  if (manner === 'fails') return void socket.write(FAILED)
  if (manner === 'trickles') return trickle(socket)
  count(body)
  socket.write(OK)
}

function take(socket: Socket, place: number) {
  let head = ''
  let bodyLeft = 0
  let body: Buffer = EMPTY
  sockets.add(socket)
  socket.setNoDelay(true)
  socket.once('close', () => sockets.delete(socket))
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
        body = EMPTY
      }
      const piece = chunk.subarray(at, at + bodyLeft)
      body = body.length === 0 ? piece : Buffer.concat([body, piece])
      at += piece.length
      bodyLeft -= piece.length
      if (bodyLeft > 0) return
      answer(head, body, socket, place)
      head = ''
    }
  })
}

async function serverOf(place: number) {
  const connected = (socket: Socket) => take(socket, place)
  if (!authority) return createTcpServer(connected)
  return createTlsServer(await selfSigned({ hosts: [addressOf(place)], issuer: authority }), connected)
}

let port = 0
for (let place = 0; place < addresses; place += 1) {
  const server = await serverOf(place)
  server.listen(port, addressOf(place))
  await once(server, 'listening')
  port = (server.address() as { port: number }).port
}

const until = (least: number, withinMs: number) =>
  new Promise<void>((resolve) => {
    if (received >= least) return resolve()
    const late = setTimeout(resolve, withinMs)
    awaited = least
    reached = () => {
      clearTimeout(late)
      awaited = Number.POSITIVE_INFINITY
      resolve()
    }
  })

serve<ReceiverQuestion, ReceiverAnswer>(
  async ({ atLeast, withinMs, troubled: troubles }) => {
    if (troubles !== undefined) {
      troubled = troubles
      for (const socket of sockets) socket.destroy()
    }
    await until(atLeast, withinMs)
    const taken = { port, received, latenciesMs: [...latenciesMs.values()] }
    received = 0
    latenciesMs = new Map()
    return taken
  },
  () => {},
)
