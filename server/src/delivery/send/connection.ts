import type { OnReadOpts } from 'node:net'
import { type Clock, endOfTurn } from '../../lib/clock.ts'
import type { Connection, ConnectionEvents, Request } from './connection-port.ts'
import { type ConnectionState, fail, isSending, skip, transition } from './connection-state.ts'
import type { OpenSocket } from './open-socket.ts'
import { SendFailure } from './outcome.ts'
import { createAnswerReader } from './read-answer.ts'
import { ConnectionEnded, createHandler, hold, lose, receive, release } from './receive-response.ts'
import { createResponseParser } from './response/response-parser.ts'
import { createSteps } from './steps.ts'
import type { Target } from './target.ts'

const NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
/** Otherwise a value could add a header, or characters would be lost in Latin-1. */
const NOT_IN_VALUE = /[^\t\x20-\x7e\x80-\xff]/
const NOT_IN_PATH = /[^\x21-\xff]/

function headerLines(headers: readonly string[]): string {
  let lines = ''
  for (let at = 0; at < headers.length; at += 2) {
    const name = headers[at]!
    const value = headers[at + 1]!
    if (!NAME.test(name) || NOT_IN_VALUE.test(value)) throw new SendFailure('protocol', `the request has an invalid ${name} header`)
    lines += `${name}: ${value}\r\n`
  }
  return lines
}

/** A request in one piece, so that it goes out with one write. Throws a `SendFailure` if a header or the path is invalid. */
export function encodeRequest(origin: string, { method, path, headers, body }: Request): Buffer {
  if (NOT_IN_PATH.test(path)) throw new SendFailure('protocol', 'the request has an invalid path')
  const length = body || method === 'POST' ? `content-length: ${body?.length ?? 0}\r\n` : ''
  const host = origin.slice(origin.indexOf('//') + 2)
  const head = `${method} ${path} HTTP/1.1\r\nhost: ${host}\r\nconnection: keep-alive\r\n${headerLines(headers)}${length}\r\n`
  const bytes = Buffer.allocUnsafe(head.length + (body?.length ?? 0))
  bytes.write(head, 'latin1')
  if (body) bytes.set(body, head.length)
  return bytes
}

/** What every socket reads into. Each piece is parsed before the next one is read; what is kept of it is copied. */
const RECEIVED = Buffer.allocUnsafeSlow(16 * 1024)

const readInto = <Cargo>(inside: ConnectionState<Cargo>): OnReadOpts => ({
  buffer: RECEIVED,
  callback(end) {
    receive(inside, RECEIVED, end)
    return true
  },
})

function write<Cargo>(inside: ConnectionState<Cargo>) {
  if (inside.phase !== 'carrying') return
  if (isSending(inside)) return skip(inside)
  const bytes = inside.outgoing!
  inside.outgoing = undefined
  inside.connection.step = 'waiting'
  inside.socket!.write(bytes)
}

/** Opens and closes the socket of a connection. */
function createOpening<Cargo>(target: Target, openSocket: OpenSocket) {
  const aborting = new AbortController()
  const closing = Promise.withResolvers<void>()

  const open = async (inside: ConnectionState<Cargo>) => {
    hold(inside)
    try {
      inside.socket = await openSocket(target, inside.connection, aborting.signal, readInto(inside))
    } catch (error) {
      closing.resolve()
      if (inside.phase === 'carrying') fail(inside, error as Error)
      return
    }
    const { socket } = inside
    // A TLS alert leaves the socket open.
    socket.on('error', (error) => lose(inside, error)).once('end', () => lose(inside, new ConnectionEnded(true)))
    socket.once('close', () => {
      closing.resolve()
      lose(inside, new ConnectionEnded(false))
    })
    if (inside.phase === 'closed') socket.destroy()
    write(inside)
    release(inside)
  }

  const close = (inside: ConnectionState<Cargo>) => {
    if (inside.socket) inside.socket.destroy()
    else aborting.abort()
    return closing.promise
  }

  return { open, close, neverOpened: closing.resolve }
}

/**
 * One connection to one origin, for one request at a time. Its socket is opened with the first request.
 *
 * idle → carrying: `carry`.
 * carrying → idle: the response is complete (`answered`).
 * carrying → closed: the response is complete and the last one of its connection, or exceeds its limit (`answered`, truncated), there is
 *   none (`failed`), or nothing of the request was sent (`notSent`).
 * idle → closed: the other side closed it or sent bytes without a request, or the last request was never completely sent (`dropped`).
 * any → closed: `close`.
 *
 * A request on a used connection is written at the end of the event loop's turn. So whatever the other side has sent without a request is
 * read before, and is not taken for the response.
 *
 * A response may arrive before its request is completely sent. No request may follow then, because the other side would read the rest as
 * the beginning of the next one. A pending write does not prove this: over TLS a write calls back one turn of the event loop after its
 * bytes have left, which is later than a quick response. So the connection becomes idle at once, and is closed if the write is still
 * pending one turn later or when the next request is about to be written.
 *
 * Memory is bounded: at most 32 KB of a response are read, 16 KB until its headers are complete, unless a receiver takes its body piece by
 * piece. While that decides, nothing is read but what TLS has decrypted already.
 */
export function createConnection<Cargo>(
  target: Target,
  clock: Clock,
  openSocket: OpenSocket,
  events: ConnectionEvents<Cargo>,
): Connection<Cargo> {
  const opening = createOpening<Cargo>(target, openSocket)
  const answer = createAnswerReader()
  const steps = createSteps(() => clock.monotonic())
  const parser = createResponseParser(createHandler(() => inside))

  const connection: Connection<Cargo> = {
    origin: target.origin,
    get step() {
      return steps.step
    },
    set step(step) {
      steps.step = step
    },
    timing: steps.timing,
    peer: target.host,
    restricted: true,
    openedMs: clock.elapsed(),
    get dueMs() {
      return inside.dueMs
    },
    isReused: () => !inside.isFresh && connection.step === 'waiting' && inside.readBytes === 0,
    isIdle: () => inside.phase === 'idle',
    isSending: () => isSending(inside),
    carry(request, cargo, receiver) {
      inside.phase = transition(inside.phase, 'carrying')
      inside.cargo = cargo
      inside.isFresh = inside.socket === undefined
      inside.readBytes = 0
      steps.restart()
      answer.begin(receiver)
      parser.begin()
      try {
        inside.outgoing = encodeRequest(target.origin, request)
      } catch (error) {
        opening.neverOpened()
        return fail(inside, error as Error)
      }
      if (inside.isFresh) return void opening.open(inside)
      connection.step = 'waiting'
      inside.socket!.ref()
      endOfTurn().then(() => write(inside))
    },
    close() {
      inside.phase = transition(inside.phase, 'closed')
      inside.held = undefined
      return opening.close(inside)
    },
  }

  const inside: ConnectionState<Cargo> = {
    phase: 'idle',
    cargo: undefined,
    socket: undefined,
    outgoing: undefined,
    isFresh: true,
    readBytes: 0,
    held: undefined,
    dueMs: 0,
    answer,
    parser,
    clock,
    events,
    connection,
  }
  return connection
}
