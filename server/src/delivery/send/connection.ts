import { createRequire } from 'node:module'
import type { Socket } from 'node:net'
import type { Client as UndiciClient } from 'undici'
import type { Clock } from '../../lib/clock.ts'
import {
  type Connection,
  type ConnectionEvents,
  type ConnectionState,
  createHandler,
  drop,
  isSending,
  mayRead,
  transition,
} from './connection-state.ts'
import type { OpenSocket } from './open-socket.ts'
import { createAnswerReader, limitReads, MAX_HEAD_BYTES } from './read-answer.ts'
import type { Target } from './target.ts'

/** Only undici's client: its index also loads fetch, caches and mocks, which takes longer than loading the rest of the sender. */
const Client = createRequire(import.meta.url)('undici/lib/dispatcher/client.js') as typeof UndiciClient

/** How long an idle connection stays open. A server's `keep-alive: timeout` may shorten it. */
const IDLE_TIMEOUT_MS = 45_000

/** An undici client with one connection and without timeouts, because the sender has its own deadline. */
const createClient = ({ origin }: Target, open: () => Promise<Socket>) =>
  new Client(origin, {
    connect: (_options, done) =>
      void open().then(
        (socket) => done(null, socket),
        (error: Error) => done(error, null),
      ),
    allowH2: false,
    pipelining: 1,
    maxHeaderSize: MAX_HEAD_BYTES,
    keepAliveTimeout: IDLE_TIMEOUT_MS,
    keepAliveMaxTimeout: IDLE_TIMEOUT_MS,
    headersTimeout: 0,
    bodyTimeout: 0,
  })

/**
 * One connection to one origin, for one request at a time.
 *
 * idle → carrying: `carry`. The socket is opened with the first request, and again if the other side has closed it.
 * carrying → idle: the response is complete (`answered`).
 * carrying → closed: the response exceeds its limit (`answered`, truncated), there is none (`failed`), or the previous request was never
 *   completely sent (`notSent`).
 * idle → closed: the other side closed it or sent bytes without a request, it was idle too long, or the last request was never completely
 *   sent (`dropped`).
 * any → closed: `close`.
 *
 * A response may arrive before its request is completely sent. No request may follow then, because the other side would read the rest as
 * the beginning of the next one. A pending write does not prove this: over TLS a write calls back one turn of the event loop after its
 * bytes have left, which is later than a quick response. So the connection becomes idle at once, and is closed if the write is still
 * pending one turn later or when the next request is about to be written.
 *
 * Memory is bounded: at most 32 KB of a response are read, unless a receiver takes its body piece by piece.
 */
export function createConnection<Cargo>(
  target: Target,
  clock: Clock,
  openSocket: OpenSocket,
  events: ConnectionEvents<Cargo>,
): Connection<Cargo> {
  const opening = new AbortController()

  const open = async () => {
    inside.isFresh = true
    const socket = await openSocket(target, connection, opening.signal)
    inside.socket = socket
    // A TLS alert leaves the socket open, and undici would keep waiting.
    socket.once('error', () => socket.destroy())
    return limitReads(socket, (bytes) => mayRead(inside, bytes))
  }
  const client = createClient(target, open)
  client.on('disconnect', () => {
    if (inside.state === 'idle') drop(inside)
  })

  const connection: Connection<Cargo> = {
    origin: target.origin,
    step: 'resolving',
    peer: target.host,
    restricted: true,
    openedMs: clock.elapsed(),
    isReused: () => !inside.isFresh && connection.step === 'waiting',
    isIdle: () => inside.state === 'idle',
    isSending: () => isSending(inside),
    carry(request, cargo, receiver) {
      inside.state = transition(inside.state, 'carrying')
      inside.cargo = cargo
      inside.isFresh = false
      inside.answer.begin(receiver)
      connection.step = 'waiting'
      client.dispatch(request, handler)
    },
    close() {
      inside.state = transition(inside.state, 'closed')
      opening.abort()
      return client.destroy()
    },
  }
  const answer = createAnswerReader()
  const inside: ConnectionState<Cargo> = { state: 'idle', cargo: undefined, socket: undefined, isFresh: true, answer, events, connection }
  const handler = createHandler(inside)
  return connection
}
