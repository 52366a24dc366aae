import type { Dispatcher } from 'undici'
import type { Clock } from '../../lib/clock.ts'
import type { OpenSocket, Progress } from './open-socket.ts'
import type { AnswerHeaders } from './outcome.ts'
import type { Target } from './target.ts'
import { Client } from './undici-client.ts'

/** How long a connection waits for more work; a server's own `keep-alive: timeout` may shorten it. */
const IDLE_TIMEOUT_MS = 45_000
const MOST_BODY_BYTES = 16 * 1024
const NOTHING = Buffer.alloc(0)

export interface Answer {
  status: number
  headers: AnswerHeaders
  body: Buffer
  truncated: boolean
}

/** What a connection tells its owner. Each request that it carries ends with exactly one of the first two. */
export interface ConnectionEvents<Cargo> {
  answered(cargo: Cargo, answer: Answer, connection: Connection<Cargo>): void
  failed(cargo: Cargo, error: Error, connection: Connection<Cargo>): void
  /** It was closed while it carried nothing. */
  dropped(connection: Connection<Cargo>): void
}

export interface Connection<Cargo> extends Progress {
  readonly origin: string
  /** When it was made, on the clock; a socket of it is no older. */
  readonly openedMs: number
  /** The present request found the socket open, and nothing of an answer has come. */
  isReused(): boolean
  /** Sends a request; `cargo` is whatever its owner wants back with the end of it. */
  carry(request: Dispatcher.DispatchOptions, cargo: Cargo): void
  /** Ends whatever it does, silently. */
  close(): Promise<void>
}

/**
 * One connection to one origin, for one request at a time. It is idle, or carries a request, or is closed.
 *
 * idle → carrying: `carry`. The socket is opened with the first request, and anew when the other side closed it meanwhile.
 * carrying → idle: the answer is whole (`answered`).
 * carrying → closed: the answer exceeds what is read (`answered`, truncated), or there is none (`failed`).
 * idle → closed: the other side closed it, or it waited too long (`dropped`). Any → closed: `close`.
 */
export function createConnection<Cargo>(
  target: Target,
  clock: Clock,
  openSocket: OpenSocket,
  events: ConnectionEvents<Cargo>,
): Connection<Cargo> {
  const opening = new AbortController()
  let state: 'idle' | 'carrying' | 'closed' = 'idle'
  let isFresh = true
  let carried: Cargo | undefined
  let status = 0
  let headers: AnswerHeaders = {}
  let chunks: Buffer[] = []
  let bytes = 0

  const client = new Client(target.origin, {
    connect: (_options, done) => {
      isFresh = true
      openSocket(target, connection, opening.signal).then(
        (socket) => done(null, socket),
        (error: Error) => done(error, null),
      )
    },
    allowH2: false,
    pipelining: 1,
    keepAliveTimeout: IDLE_TIMEOUT_MS,
    keepAliveMaxTimeout: IDLE_TIMEOUT_MS,
    headersTimeout: 0,
    bodyTimeout: 0,
  })
  client.on('disconnect', () => {
    if (state !== 'idle') return
    close()
    events.dropped(connection)
  })

  const close = () => {
    state = 'closed'
    opening.abort()
    return client.destroy()
  }

  /** An idle connection holds on to nothing of what it carried. */
  const unload = () => {
    const cargo = carried!
    carried = undefined
    chunks = []
    return cargo
  }

  const finish = (truncated: boolean) => {
    const answer = { status, headers, body: bodyOf(chunks, bytes), truncated }
    if (truncated) close()
    else state = 'idle'
    events.answered(unload(), answer, connection)
  }

  const handler: Dispatcher.DispatchHandler = {
    onRequestStart() {
      connection.step = 'waiting'
    },
    onResponseStart(_controller, statusCode, received) {
      if (statusCode < 200 || state !== 'carrying') return
      connection.step = 'reading'
      status = statusCode
      headers = pick(received)
    },
    onResponseData(_controller, chunk) {
      if (state !== 'carrying') return
      chunks.push(chunk)
      bytes += chunk.length
      if (bytes > MOST_BODY_BYTES) finish(true)
    },
    onResponseEnd() {
      if (state === 'carrying') finish(false)
    },
    onResponseError(_controller, error) {
      if (state !== 'carrying') return
      close()
      events.failed(unload(), error, connection)
    },
  }

  const connection: Connection<Cargo> = {
    origin: target.origin,
    step: 'resolving',
    peer: target.host,
    restricted: true,
    openedMs: clock.now(),
    isReused: () => !isFresh && connection.step === 'waiting',
    carry(request, cargo) {
      state = 'carrying'
      carried = cargo
      connection.step = 'waiting'
      isFresh = false
      bytes = 0
      client.dispatch(request, handler)
    },
    close,
  }
  return connection
}

const bodyOf = (chunks: readonly Buffer[], bytes: number) =>
  bytes === 0 ? NOTHING : Buffer.concat(chunks, Math.min(bytes, MOST_BODY_BYTES))

function pick(headers: Record<string, string | string[] | undefined>): AnswerHeaders {
  const picked: AnswerHeaders = {}
  for (const name of ['content-type', 'retry-after', 'location'] as const) {
    const value = headers[name]
    if (value !== undefined) picked[name] = typeof value === 'string' ? value : value[0]
  }
  return picked
}
