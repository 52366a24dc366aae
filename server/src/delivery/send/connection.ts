import { createRequire } from 'node:module'
import type { Socket } from 'node:net'
import type { Dispatcher, Client as UndiciClient } from 'undici'
import { type Clock, thisRoundIsOver } from '../../lib/clock.ts'
import { checkedTransitions } from '../../lib/transitions.ts'
import { headersTooLong } from './explain-error.ts'
import type { OpenSocket, Progress } from './open-socket.ts'
import { type Answer, type AnswerReader, createAnswerReader, limitReads, MOST_ANSWER_BYTES, MOST_HEAD_BYTES } from './read-answer.ts'
import type { Target } from './target.ts'

/** undici's client and nothing else of it: what its index loads besides (fetch, caches, mocks) takes longer than all of the sender. */
const Client = createRequire(import.meta.url)('undici/lib/dispatcher/client.js') as typeof UndiciClient

/** How long a connection waits for more work; a server's own `keep-alive: timeout` may shorten it. */
const IDLE_TIMEOUT_MS = 45_000

/** What a connection tells its owner. Each request that it carries ends with exactly one of the first three. */
export interface ConnectionEvents<Cargo> {
  answered(cargo: Cargo, answer: Answer, connection: Connection<Cargo>): void
  failed(cargo: Cargo, error: Error, connection: Connection<Cargo>): void
  /** Nothing of the request was sent, because the other side has not taken the whole request before it. The connection is closed. */
  notSent(cargo: Cargo, connection: Connection<Cargo>): void
  /** It was closed while it carried nothing. */
  dropped(connection: Connection<Cargo>): void
}

export interface Connection<Cargo> extends Progress {
  readonly origin: string
  /** When it was made, in elapsed milliseconds of the clock; a socket of it is no older. */
  readonly openedMs: number
  /** The present request found the socket open, and nothing of an answer has come. */
  isReused(): boolean
  /** It can carry another request. */
  isIdle(): boolean
  /** The request is not known to have left: its write has not called back. */
  isSending(): boolean
  /** Sends a request; `cargo` is whatever its owner wants back with the end of it. */
  carry(request: Dispatcher.DispatchOptions, cargo: Cargo): void
  /** Ends whatever it does, silently. */
  close(): Promise<void>
}

type State = 'idle' | 'carrying' | 'closed'

const transition = checkedTransitions<State>('a connection', {
  idle: ['carrying', 'closed'],
  carrying: ['idle', 'closed'],
  closed: ['closed'],
})

/** undici's client of one connection. Every deadline is its owner's. */
const createClient = ({ origin }: Target, open: () => Promise<Socket>) =>
  new Client(origin, {
    connect: (_options, done) =>
      void open().then(
        (socket) => done(null, socket),
        (error: Error) => done(error, null),
      ),
    allowH2: false,
    pipelining: 1,
    maxHeaderSize: MOST_HEAD_BYTES,
    keepAliveTimeout: IDLE_TIMEOUT_MS,
    keepAliveMaxTimeout: IDLE_TIMEOUT_MS,
    headersTimeout: 0,
    bodyTimeout: 0,
  })

/** The inside of a connection. */
interface Inside<Cargo> {
  state: State
  /** What the present request carries. */
  cargo: Cargo | undefined
  socket: Socket | undefined
  /** The socket was opened for the present request. */
  isFresh: boolean
  readonly answer: AnswerReader
  readonly events: ConnectionEvents<Cargo>
  readonly connection: Connection<Cargo>
}

const isSending = ({ socket }: { socket: Socket | undefined }) => socket !== undefined && socket.writableLength > 0

function drop<Cargo>({ connection, events }: Inside<Cargo>) {
  connection.close()
  events.dropped(connection)
}

/** An idle connection holds on to nothing of what it carried. */
function unload<Cargo>(inside: Inside<Cargo>): Cargo {
  const cargo = inside.cargo!
  inside.cargo = undefined
  inside.answer.clear()
  return cargo
}

function becomeIdle<Cargo>(inside: Inside<Cargo>) {
  inside.state = transition(inside.state, 'idle')
  if (isSending(inside)) thisRoundIsOver().then(() => inside.state === 'idle' && isSending(inside) && drop(inside))
}

function finish<Cargo>(inside: Inside<Cargo>, truncated: boolean) {
  const { answer, connection, events } = inside
  const taken = answer.take(truncated)
  if (truncated) connection.close()
  else becomeIdle(inside)
  events.answered(unload(inside), taken, connection)
}

function fail<Cargo>(inside: Inside<Cargo>, error: Error) {
  inside.connection.close()
  inside.events.failed(unload(inside), error, inside.connection)
}

/** Nothing is read that was not asked for, and no more of an answer than its bounds. */
function mayRead<Cargo>(inside: Inside<Cargo>, bytes: number): boolean {
  const { state, answer, connection } = inside
  const isReading = connection.step === 'reading'
  if (state === 'idle') drop(inside)
  else if (state === 'carrying' && isReading && answer.bytes >= MOST_ANSWER_BYTES) finish(inside, true)
  else if (state === 'carrying' && !isReading && answer.bytes >= MOST_HEAD_BYTES) fail(inside, headersTooLong(connection))
  answer.bytes += bytes
  return inside.state === 'carrying'
}

/** What undici tells of a request. Nothing of its answer counts once the connection carries the request no more. */
const createHandler = <Cargo>(inside: Inside<Cargo>): Dispatcher.DispatchHandler => ({
  /** Called right before undici writes, at the earliest a turn after the answer before. */
  onRequestStart() {
    const { connection, events } = inside
    connection.step = 'waiting'
    if (!isSending(inside)) return
    connection.close()
    events.notSent(unload(inside), connection)
  },
  onResponseStart(_controller, status, headers) {
    if (status < 200 || inside.state !== 'carrying') return
    inside.connection.step = 'reading'
    inside.answer.setHead(status, headers)
  },
  onResponseData(_controller, piece) {
    if (inside.state === 'carrying' && !inside.answer.addBody(piece)) finish(inside, true)
  },
  onResponseEnd() {
    if (inside.state === 'carrying') finish(inside, false)
  },
  onResponseError(_controller, error) {
    if (inside.state === 'carrying') fail(inside, error)
  },
})

/**
 * One connection to one origin, for one request at a time. It is idle, or carries a request, or is closed.
 *
 * idle → carrying: `carry`. The socket is opened with the first request, and anew when the other side closed it meanwhile.
 * carrying → idle: the answer is whole (`answered`).
 * carrying → closed: the answer exceeds what is read (`answered`, truncated), there is none (`failed`), or the request
 *   before it never left (`notSent`).
 * idle → closed: the other side closed it or spoke unasked, it waited too long, or the request never left (`dropped`).
 * Any → closed: `close`.
 *
 * An answer may come before its request has left whole: nothing may follow such a request, since its rest would be read as
 * the beginning of the next one. That a write is still under way does not show it, for over TLS the write of a request calls
 * back one turn of the event loop after its bytes have left, which is later than a quick answer. Hence the connection is idle
 * at once, and is closed if the write is still under way a turn later or when the next request is about to be written.
 *
 * What it holds of the other side is bounded: the reading of an answer ends after 32 KB.
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
    // A TLS alert leaves the socket open, and undici would wait on.
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
    carry(request, cargo) {
      inside.state = transition(inside.state, 'carrying')
      inside.cargo = cargo
      inside.isFresh = false
      inside.answer.begin()
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
  const inside: Inside<Cargo> = { state: 'idle', cargo: undefined, socket: undefined, isFresh: true, answer, events, connection }
  const handler = createHandler(inside)
  return connection
}
