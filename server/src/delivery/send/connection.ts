import type { Socket } from 'node:net'
import type { Dispatcher } from 'undici'
import { type Clock, thisRoundIsOver } from '../../lib/clock.ts'
import { createAnswerBody } from './answer-body.ts'
import { boundReads } from './bound-reads.ts'
import { headersTooLong } from './explain-error.ts'
import type { OpenSocket, Progress } from './open-socket.ts'
import type { AnswerHeaders } from './outcome.ts'
import type { Target } from './target.ts'
import { Client } from './undici-client.ts'

/** How long a connection waits for more work; a server's own `keep-alive: timeout` may shorten it. */
const IDLE_TIMEOUT_MS = 45_000
/** Of everything before the body, interim answers among it, as it comes over the wire. */
const MOST_HEAD_BYTES = 16 * 1024
const MOST_BODY_BYTES = 16 * 1024
/** Of a whole answer, as it comes over the wire, with the sizes of its chunks and its trailers. */
const MOST_ANSWER_BYTES = MOST_HEAD_BYTES + MOST_BODY_BYTES
const NO_HEADERS: AnswerHeaders = {}

export interface Answer {
  status: number
  headers: AnswerHeaders
  body: Buffer
  truncated: boolean
}

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
  const body = createAnswerBody(MOST_BODY_BYTES)
  let state: 'idle' | 'carrying' | 'closed' = 'idle'
  let isFresh = true
  let socket: Socket | undefined
  let carried: Cargo | undefined
  let status = 0
  let headers = NO_HEADERS
  let answerBytes = 0

  const client = new Client(target.origin, {
    connect: (_options, done) => {
      isFresh = true
      openSocket(target, connection, opening.signal).then(
        (opened) => {
          socket = opened
          // A TLS alert leaves the socket open, and undici would wait on.
          opened.once('error', () => opened.destroy())
          done(null, boundReads(opened, mayRead))
        },
        (error: Error) => done(error, null),
      )
    },
    allowH2: false,
    pipelining: 1,
    maxHeaderSize: MOST_HEAD_BYTES,
    keepAliveTimeout: IDLE_TIMEOUT_MS,
    keepAliveMaxTimeout: IDLE_TIMEOUT_MS,
    headersTimeout: 0,
    bodyTimeout: 0,
  })
  client.on('disconnect', () => {
    if (state === 'idle') drop()
  })

  const close = () => {
    state = 'closed'
    opening.abort()
    return client.destroy()
  }

  const drop = () => {
    close()
    events.dropped(connection)
  }

  /** An idle connection holds on to nothing of what it carried. */
  const unload = () => {
    const cargo = carried!
    carried = undefined
    headers = NO_HEADERS
    body.take()
    return cargo
  }

  const becomeIdle = () => {
    state = 'idle'
    if (connection.isSending()) thisRoundIsOver().then(dropUnsent)
  }

  const dropUnsent = () => {
    if (state === 'idle' && connection.isSending()) drop()
  }

  const finish = (truncated: boolean) => {
    const answer = { status, headers, body: body.take(), truncated }
    if (truncated) close()
    else becomeIdle()
    events.answered(unload(), answer, connection)
  }

  const fail = (error: Error) => {
    close()
    events.failed(unload(), error, connection)
  }

  /** Nothing is read that was not asked for, and no more of an answer than its bounds. */
  const mayRead = (bytes: number) => {
    const isReading = connection.step === 'reading'
    if (state === 'idle') drop()
    else if (state === 'carrying' && isReading && answerBytes >= MOST_ANSWER_BYTES) finish(true)
    else if (state === 'carrying' && !isReading && answerBytes >= MOST_HEAD_BYTES) fail(headersTooLong(connection))
    answerBytes += bytes
    return state === 'carrying'
  }

  const handler: Dispatcher.DispatchHandler = {
    /** Called right before undici writes, at the earliest a turn after the answer before. */
    onRequestStart() {
      connection.step = 'waiting'
      if (!connection.isSending()) return
      close()
      events.notSent(unload(), connection)
    },
    onResponseStart(_controller, statusCode, received) {
      if (statusCode < 200 || state !== 'carrying') return
      connection.step = 'reading'
      status = statusCode
      headers = pick(received)
    },
    onResponseData(_controller, chunk) {
      if (state === 'carrying' && !body.add(chunk)) finish(true)
    },
    onResponseEnd() {
      if (state === 'carrying') finish(false)
    },
    onResponseError(_controller, error) {
      if (state === 'carrying') fail(error)
    },
  }

  const connection: Connection<Cargo> = {
    origin: target.origin,
    step: 'resolving',
    peer: target.host,
    restricted: true,
    openedMs: clock.elapsed(),
    isReused: () => !isFresh && connection.step === 'waiting',
    isIdle: () => state === 'idle',
    isSending: () => socket !== undefined && socket.writableLength > 0,
    carry(request, cargo) {
      state = 'carrying'
      carried = cargo
      connection.step = 'waiting'
      isFresh = false
      answerBytes = 0
      client.dispatch(request, handler)
    },
    close,
  }
  return connection
}

function pick(headers: Record<string, string | string[] | undefined>): AnswerHeaders {
  const picked: AnswerHeaders = {}
  for (const name of ['content-type', 'retry-after', 'location'] as const) {
    const value = headers[name]
    if (value !== undefined) picked[name] = typeof value === 'string' ? value : value[0]
  }
  return picked
}
