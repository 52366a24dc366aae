// The callbacks of all benchmarks: a minimal HTTP/1.1 server on raw sockets, with one listener for each webhook's address, in one process.
import { once } from 'node:events'
import { createServer as createTcpServer, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { signature } from '../../../server/src/lib/crypto.ts'
import { selfSigned } from '../../../server/test/stage/certificates.ts'
import { addressOf, CONSUMER_SECRET } from '../delivery/fixtures.ts'
import { readTimestamp } from '../delivery/send-timestamp.ts'
import { faultyBehavior, type ReceiverArgument, type ReceiverRequest, type ReceiverResponse } from '../receiver.ts'
import { readArgument, serve } from './serve.ts'

const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'
const FAILED = 'HTTP/1.1 500 Internal Server Error\r\ncontent-length: 0\r\n\r\n'
const EMPTY = Buffer.alloc(0)
const HEAD_END = '\r\n\r\n'
const CONTENT_LENGTH = /\r\ncontent-length: *(\d+)/i

const { addresses, authority } = readArgument<ReceiverArgument>()
const sockets = new Set<Socket>()
let areFaulty = false

let received = 0
let awaited = Number.POSITIVE_INFINITY
let reached = () => {}
/** Of timestamped events that were received, by their number. */
let latenciesMs = new Map<number, number>()

function count(body: Buffer) {
  const sent = readTimestamp(body)
  if (sent && latenciesMs.has(sent.number)) return
  if (sent) latenciesMs.set(sent.number, sent.ageMs)
  received += 1
  if (received >= awaited) reached()
}

/** Answers a challenge as a real callback would: otherwise the webhook would become invalid. */
function challengeResponse(target: string): string {
  const token = new URL(target, 'http://callback').searchParams.get('crc_token') ?? ''
  const body = JSON.stringify({ response_token: signature(CONSUMER_SECRET, token) })
  return `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`
}

/** Sends one byte a second, until the connection is closed. */
function trickle(socket: Socket) {
  let at = 0
  const timer = setInterval(() => socket.write(OK[at++ % OK.length]!), 1000)
  socket.once('close', () => clearInterval(timer))
}

function respond(head: string, body: Buffer, socket: Socket, place: number) {
  if (head.startsWith('GET ')) return void socket.write(challengeResponse(head.split(' ')[1]!))
  const behavior = areFaulty ? faultyBehavior(place) : 'healthy'
  if (behavior === 'hangs') return
  if (behavior === 'fails') return void socket.write(FAILED)
  if (behavior === 'trickles') return trickle(socket)
  count(body)
  socket.write(OK)
}

function readRequests(socket: Socket, place: number) {
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
      respond(head, body, socket, place)
      head = ''
    }
  })
}

async function serverOf(place: number) {
  const connected = (socket: Socket) => readRequests(socket, place)
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

const untilReceived = (atLeast: number, timeoutMs: number) =>
  new Promise<void>((resolve) => {
    if (received >= atLeast) return resolve()
    const timeout = setTimeout(resolve, timeoutMs)
    awaited = atLeast
    reached = () => {
      clearTimeout(timeout)
      awaited = Number.POSITIVE_INFINITY
      resolve()
    }
  })

serve<ReceiverRequest, ReceiverResponse>(
  async ({ atLeast, timeoutMs, injectFaults }) => {
    if (injectFaults !== undefined) {
      areFaulty = injectFaults
      for (const socket of sockets) socket.destroy()
    }
    await untilReceived(atLeast, timeoutMs)
    const result = { port, received, latenciesMs: [...latenciesMs.values()] }
    received = 0
    latenciesMs = new Map()
    return result
  },
  () => {},
)
