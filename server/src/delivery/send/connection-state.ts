import type { Socket } from 'node:net'
import { type Clock, endOfTurn } from '../../lib/clock.ts'
import { SECOND_MS } from '../../lib/time.ts'
import { checkedTransitions } from '../../lib/transitions.ts'
import type { Connection, ConnectionEvents } from './connection-port.ts'
import type { AnswerReader } from './read-answer.ts'
import type { ResponseParser } from './response/response-parser.ts'

/** How long an idle connection stays open. A server's `keep-alive: timeout` may shorten it. */
const IDLE_TIMEOUT_MS = 45 * SECOND_MS

export type ConnectionPhase = 'idle' | 'carrying' | 'closed'

export const transition = checkedTransitions<ConnectionPhase>('a connection', {
  idle: ['carrying', 'closed'],
  carrying: ['idle', 'closed'],
  closed: ['closed'],
})

/** What arrives while nothing may be parsed: copies of the bytes, and how the connection ended. */
export interface Held {
  pieces: Buffer[]
  error: Error | undefined
}

/** The internal state of a connection. */
export interface ConnectionState<Cargo> {
  phase: ConnectionPhase
  /** The cargo of the current request. */
  cargo: Cargo | undefined
  socket: Socket | undefined
  /** The current request, until it is written. */
  outgoing: Buffer | undefined
  /** Whether the socket was opened for the current request. */
  isFresh: boolean
  /** How much of the response has been read. */
  readBytes: number
  held: Held | undefined
  dueMs: number
  readonly answer: AnswerReader
  readonly parser: ResponseParser
  readonly clock: Clock
  readonly events: ConnectionEvents<Cargo>
  readonly connection: Connection<Cargo>
}

export const isSending = ({ socket }: { socket: Socket | undefined }) => socket !== undefined && socket.writableLength > 0

/** Returns the cargo. An idle connection keeps nothing of its last request. */
function unload<Cargo>(inside: ConnectionState<Cargo>): Cargo {
  const cargo = inside.cargo!
  inside.cargo = undefined
  inside.outgoing = undefined
  inside.answer.clear()
  return cargo
}

/** Closes an idle connection. */
export function drop<Cargo>({ connection, events }: ConnectionState<Cargo>) {
  connection.close()
  events.dropped(connection)
}

/** Ends a request of which nothing was sent. */
export function skip<Cargo>(inside: ConnectionState<Cargo>) {
  inside.connection.close()
  inside.events.notSent(unload(inside), inside.connection)
}

export function fail<Cargo>(inside: ConnectionState<Cargo>, error: Error) {
  inside.connection.close()
  inside.events.failed(unload(inside), error, inside.connection)
}

function becomeIdle<Cargo>(inside: ConnectionState<Cargo>) {
  const { parser, clock, socket } = inside
  inside.phase = transition(inside.phase, 'idle')
  inside.dueMs = clock.elapsed() + Math.min(parser.keepAliveMs ?? IDLE_TIMEOUT_MS, IDLE_TIMEOUT_MS)
  socket!.unref()
  if (isSending(inside)) endOfTurn().then(() => inside.phase === 'idle' && isSending(inside) && drop(inside))
}

/** Ends a request with its response. `isTruncated`: nothing more is to be read. `isFollowed`: more bytes came than belong to the response. */
export function finish<Cargo>(inside: ConnectionState<Cargo>, isTruncated: boolean, isFollowed = false) {
  const { answer, parser, connection, events } = inside
  const taken = answer.take(isTruncated)
  if (isTruncated || isFollowed || parser.isLast) connection.close()
  else becomeIdle(inside)
  events.answered(unload(inside), taken, connection)
}
