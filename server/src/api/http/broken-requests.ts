import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { createClock } from '../../lib/clock.ts'
import { STATUS_CODES } from '../../lib/node-http.ts'
import type { HostLimits } from '../declare/host-limits.ts'
import { pathOf, type RawAnswer } from '../declare/raw-request.ts'
import { LATE } from './body-deadlines.ts'
import type { Fallbacks } from './fallbacks.ts'
import { hasEndless } from './send-streams.ts'

interface ClientError extends Error {
  code?: string
  /** What the parser found, in its words, or why a request is late. */
  reason?: string
}

/** A request that is known only to be broken is answered as the general interface does. */
const ANY_PATH = '/'

/** The bytes of an answer after which the connection closes. */
function lastAnswer({ status, headers, body }: RawAnswer, nowMs: number): Buffer {
  const bytes = Buffer.from(body)
  const all = { ...headers, 'content-length': bytes.length, date: new Date(nowMs).toUTCString(), connection: 'close' }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.concat([Buffer.from(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n`), bytes])
}

/**
 * Answers, in the form of the interface, what Node would refuse by itself, and tells `refusedWith`, with the request where one was read. All
 * functions but `inTurn` are for the server's event of their name; `request` comes before the request is served.
 */
export function createBrokenRequests(
  fallbacks: Fallbacks,
  { headersTimeoutMs, requestTimeoutMs, headerBytes, lingerMs, mostPipelined }: HostLimits,
  refusedWith: (answer: RawAnswer, socket: Socket, request?: IncomingMessage) => void,
) {
  const clock = createClock()
  /** The last answer that each connection is owed. */
  const owed = new WeakMap<Socket, ServerResponse>()
  /** What a request must wait for: the answer before its own on the same connection. */
  const before = new WeakMap<IncomingMessage, ServerResponse>()
  const refused = new WeakSet<Socket>()
  /** How many requests of each connection wait for the answers before theirs. */
  const waiting = new WeakMap<Socket, number>()

  const answerTo = ({ code, reason }: ClientError): RawAnswer => {
    if (code === LATE) {
      const usual = `its headers must within ${headersTimeoutMs / 1000} s, all of it within ${requestTimeoutMs / 1000} s`
      return fallbacks.refused(ANY_PATH, 'request-timeout', `The request did not come in time: ${reason ?? usual}.`)
    }
    if (code === 'HPE_HEADER_OVERFLOW')
      return fallbacks.refused(ANY_PATH, 'headers-too-large', `The request line and the headers are larger than ${headerBytes} bytes.`)
    return fallbacks.badRequest(ANY_PATH, `The request is not valid HTTP/1.1${reason ? `: ${reason}` : ''}.`)
  }

  const finish = (socket: Socket, answer?: RawAnswer, request?: IncomingMessage) => {
    if (!socket.writable) return socket.destroy()
    if (answer) refusedWith(answer, socket, request)
    const linger = clock.after(lingerMs, () => socket.destroy())
    return socket.once('close', () => linger.cancel()).end(answer ? lastAnswer(answer, clock.now()) : '')
  }

  const isOwed = (socket: Socket) => owed.get(socket)?.closed === false

  const owe = (request: IncomingMessage, response: ServerResponse) => {
    const last = owed.get(request.socket)
    if (last && !last.closed) before.set(request, last)
    owed.set(request.socket, response)
  }

  return {
    /** Whether a connection has an answer to come, or one that is being sent. */
    isOwed,
    /** Whether the next answer of a connection is still being made, to a request that came whole: it may take its time. */
    isBeingAnswered(socket: Socket): boolean {
      let next = owed.get(socket)
      for (let earlier = next && before.get(next.req); earlier?.closed === false; earlier = before.get(earlier.req)) next = earlier
      return next?.closed === false && !next.headersSent && next.req.complete
    },
    request(request: IncomingMessage, response: ServerResponse) {
      // It would wait without an end, with all that the client sends after it.
      if (hasEndless(request.socket)) request.socket.destroy()
      owe(request, response)
    },
    /**
     * Calls `serve` once the connection is owed no other answer, so that whoever does not read cannot ask for more. What comes after the last
     * answer of a connection is not served: nobody would hear what became of it. Of a connection with too many that wait none is served.
     */
    inTurn(request: IncomingMessage, serve: () => void) {
      const last = before.get(request)
      const { socket } = request
      const serveUnlessEnded = () => socket.destroyed || socket.writableEnded || serve()
      if (!last || last.closed) return serveUnlessEnded()
      const others = waiting.get(socket) ?? 0
      if (others >= mostPipelined) return socket.destroy()
      waiting.set(socket, others + 1)
      return last.once('close', () => {
        waiting.set(socket, waiting.get(socket)! - 1)
        serveUnlessEnded()
      })
    },
    /** What came whole before the broken part is answered first; what was answered before it came whole is not answered twice. */
    clientError(error: ClientError, socket: Socket) {
      if (refused.has(socket)) return
      refused.add(socket)
      const last = owed.get(socket)
      const isWhole = last?.req.complete
      const isAnswered = last?.headersSent && !isWhole
      const ahead = isWhole ? last : last && before.get(last.req)
      const say = () => void finish(socket, isAnswered ? undefined : answerTo(error))
      if (ahead && !ahead.closed) ahead.once('close', say)
      else say()
    },
    connect(request: IncomingMessage, stream: Duplex) {
      const { socket } = request
      // Node has taken its listeners off both: without one an error would end the process.
      for (const one of new Set([socket, stream])) one.on('error', () => {})
      // Behind an answer that is owed it would be taken for that answer.
      if (stream !== socket || isOwed(socket)) return void socket.destroy()
      finish(socket, fallbacks.badRequest(ANY_PATH, 'This is not a proxy: CONNECT is not served.'), request)
    },
    checkExpectation(request: IncomingMessage, response: ServerResponse) {
      owe(request, response)
      const detail = 'The only expectation that is served is 100-continue.'
      const answer = fallbacks.refused(pathOf(request.url ?? '/'), 'expectation-failed', detail)
      const { status, headers, body } = answer
      refusedWith(answer, request.socket, request)
      response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body), connection: 'close' }).end(body)
    },
  }
}
