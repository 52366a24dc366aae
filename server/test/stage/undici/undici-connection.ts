import { createRequire } from 'node:module'
import type { Socket } from 'node:net'
import type { Dispatcher, Client as UndiciClient } from 'undici'
import type { Connection, ConnectionEvents } from '../../../src/delivery/send/connection-port.ts'
import { type ConnectionPhase, transition } from '../../../src/delivery/send/connection-state.ts'
import { headersTooLong } from '../../../src/delivery/send/explain-error.ts'
import type { OpenSocket } from '../../../src/delivery/send/open-socket.ts'
import { type AnswerHeaders, SendFailure } from '../../../src/delivery/send/outcome.ts'
import { createAnswerReader, MAX_HEAD_BYTES } from '../../../src/delivery/send/read-answer.ts'
import type { Target } from '../../../src/delivery/send/target.ts'
import { type Clock, endOfTurn } from '../../../src/lib/clock.ts'
import { limitReads } from './limit-reads.ts'
import { translateError } from './translate-error.ts'

const Client = createRequire(import.meta.url)('undici/lib/dispatcher/client.js') as typeof UndiciClient

const IDLE_TIMEOUT_MS = 45_000

const firstOf = (value: string | string[] | undefined) => (typeof value === 'string' ? value : value?.[0])

function pick(headers: Record<string, string | string[] | undefined>): AnswerHeaders {
  const picked: AnswerHeaders = {}
  for (const name of ['content-type', 'retry-after', 'location'] as const) {
    const value = firstOf(headers[name])
    if (value !== undefined) picked[name] = value
  }
  return picked
}

/**
 * A connection that reads its responses with undici's parser: the reference for ours. It may open its socket again, and closes idle ones
 * by itself.
 */
export function createUndiciConnection<Cargo>(
  target: Target,
  clock: Clock,
  openSocket: OpenSocket,
  events: ConnectionEvents<Cargo>,
): Connection<Cargo> {
  const opening = new AbortController()
  const answer = createAnswerReader()
  let phase: ConnectionPhase = 'idle'
  let cargo: Cargo | undefined
  let socket: Socket | undefined
  let isFresh = true
  let readBytes = 0

  const client = new Client(target.origin, {
    connect: (_options, done) =>
      void open().then(
        (opened) => done(null, opened),
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
  client.on('disconnect', () => {
    if (phase === 'idle') drop()
  })

  const open = async () => {
    isFresh = true
    socket = await openSocket(target, connection, opening.signal)
    // A TLS alert leaves the socket open, and undici would keep waiting.
    socket.once('error', () => socket!.destroy())
    return limitReads(socket, mayRead)
  }

  const isSending = () => socket !== undefined && socket.writableLength > 0

  const unload = () => {
    const unloaded = cargo!
    cargo = undefined
    answer.clear()
    return unloaded
  }

  const drop = () => {
    connection.close()
    events.dropped(connection)
  }

  const becomeIdle = () => {
    phase = transition(phase, 'idle')
    if (isSending()) endOfTurn().then(() => phase === 'idle' && isSending() && drop())
  }

  const finish = (truncated: boolean) => {
    const taken = answer.take(truncated)
    if (truncated) connection.close()
    else becomeIdle()
    events.answered(unload(), taken, connection)
  }

  const fail = (error: Error) => {
    connection.close()
    events.failed(unload(), error, connection)
  }

  /** Whether these bytes may be read: a request is in flight, and its response is within its limits. */
  const mayRead = (bytes: number) => {
    const isReading = connection.step === 'reading'
    if (phase === 'idle') drop()
    else if (phase === 'carrying' && isReading && readBytes >= answer.maxBytes) finish(true)
    else if (phase === 'carrying' && !isReading && readBytes >= MAX_HEAD_BYTES) fail(headersTooLong(connection))
    readBytes += bytes
    return phase === 'carrying'
  }

  const awaitReceiver = (controller: Dispatcher.DispatchController, more: Promise<boolean>) => {
    const awaiting = cargo
    controller.pause()
    void more.then((isMore) => {
      if (phase !== 'carrying' || cargo !== awaiting) return
      if (isMore) controller.resume()
      else finish(true)
    })
  }

  const handler: Dispatcher.DispatchHandler = {
    onRequestStart() {
      connection.step = 'waiting'
      if (!isSending()) return
      connection.close()
      events.notSent(unload(), connection)
    },
    onResponseStart(_controller, status, headers) {
      if (status < 200 || phase !== 'carrying') return
      connection.step = 'reading'
      const length = firstOf(headers['content-length'])
      if (!answer.setHead(status, pick(headers), length === undefined ? undefined : Number(length), connection.restricted)) finish(true)
    },
    onResponseData(controller, piece) {
      if (phase !== 'carrying') return
      const more = answer.addBody(piece)
      if (more === false) finish(true)
      else if (more !== true) awaitReceiver(controller, more)
    },
    onResponseEnd() {
      if (phase === 'carrying') finish(false)
    },
    onResponseError(_controller, error) {
      if (phase === 'carrying') fail(error instanceof SendFailure ? error : translateError(error, connection.step))
    },
  }

  const connection: Connection<Cargo> = {
    origin: target.origin,
    step: 'resolving',
    peer: target.host,
    restricted: true,
    timing: () => '',
    openedMs: clock.elapsed(),
    dueMs: Number.POSITIVE_INFINITY,
    isReused: () => !isFresh && connection.step === 'waiting',
    isIdle: () => phase === 'idle',
    isSending,
    carry(request, given, receiver) {
      phase = transition(phase, 'carrying')
      cargo = given
      isFresh = false
      readBytes = 0
      answer.begin(receiver)
      connection.step = 'waiting'
      client.dispatch({ ...request, headers: [...request.headers] }, handler)
    },
    close() {
      phase = transition(phase, 'closed')
      opening.abort()
      return client.destroy()
    },
  }
  return connection
}
