import type { Socket } from 'node:net'
import type { Dispatcher } from 'undici'
import { endOfTurn } from '../../lib/clock.ts'
import { checkedTransitions } from '../../lib/transitions.ts'
import { headersTooLong } from './explain-error.ts'
import type { Progress } from './open-socket.ts'
import { type Answer, type AnswerReader, type BodyReceiver, MAX_HEAD_BYTES } from './read-answer.ts'

/** Called by a connection. Each request that it carries ends with exactly one of the first three. */
export interface ConnectionEvents<Cargo> {
  answered(cargo: Cargo, answer: Answer, connection: Connection<Cargo>): void
  failed(cargo: Cargo, error: Error, connection: Connection<Cargo>): void
  /** Nothing of the request was sent, because the other side has not read the whole previous request. The connection is closed. */
  notSent(cargo: Cargo, connection: Connection<Cargo>): void
  /** The connection was closed while it carried nothing. */
  dropped(connection: Connection<Cargo>): void
}

export interface Connection<Cargo> extends Progress {
  readonly origin: string
  /** When it was created, in elapsed milliseconds of the clock; its socket is no older. */
  readonly openedMs: number
  /** Whether the current request uses a socket that was open before, and nothing of a response has been received. */
  isReused(): boolean
  /** Whether it can carry another request. */
  isIdle(): boolean
  /** Whether the request may not be completely sent: its write has not called back. */
  isSending(): boolean
  /** Sends a request. `cargo` is passed to the event that ends it; `receiver` takes the body of the response, if it is not to be kept. */
  carry(request: Dispatcher.DispatchOptions, cargo: Cargo, receiver?: BodyReceiver): void
  /** Closes the connection without an event. */
  close(): Promise<void>
}

type State = 'idle' | 'carrying' | 'closed'

export const transition = checkedTransitions<State>('a connection', {
  idle: ['carrying', 'closed'],
  carrying: ['idle', 'closed'],
  closed: ['closed'],
})

/** The internal state of a connection. */
export interface ConnectionState<Cargo> {
  state: State
  /** The cargo of the current request. */
  cargo: Cargo | undefined
  socket: Socket | undefined
  /** Whether the socket was opened for the current request. */
  isFresh: boolean
  readonly answer: AnswerReader
  readonly events: ConnectionEvents<Cargo>
  readonly connection: Connection<Cargo>
}

export const isSending = ({ socket }: { socket: Socket | undefined }) => socket !== undefined && socket.writableLength > 0

/** Closes an idle connection. */
export function drop<Cargo>({ connection, events }: ConnectionState<Cargo>) {
  connection.close()
  events.dropped(connection)
}

/** Returns the cargo. An idle connection keeps nothing of its last request. */
function unload<Cargo>(inside: ConnectionState<Cargo>): Cargo {
  const cargo = inside.cargo!
  inside.cargo = undefined
  inside.answer.clear()
  return cargo
}

function becomeIdle<Cargo>(inside: ConnectionState<Cargo>) {
  inside.state = transition(inside.state, 'idle')
  if (isSending(inside)) endOfTurn().then(() => inside.state === 'idle' && isSending(inside) && drop(inside))
}

function finish<Cargo>(inside: ConnectionState<Cargo>, truncated: boolean) {
  const { answer, connection, events } = inside
  const taken = answer.take(truncated)
  if (truncated) connection.close()
  else becomeIdle(inside)
  events.answered(unload(inside), taken, connection)
}

function fail<Cargo>(inside: ConnectionState<Cargo>, error: Error) {
  inside.connection.close()
  inside.events.failed(unload(inside), error, inside.connection)
}

/** Whether these bytes may be read: a request is in flight, and its response is within its limits. */
export function mayRead<Cargo>(inside: ConnectionState<Cargo>, bytes: number): boolean {
  const { state, answer, connection } = inside
  const isReading = connection.step === 'reading'
  if (state === 'idle') drop(inside)
  else if (state === 'carrying' && isReading && answer.bytes >= answer.maxBytes) finish(inside, true)
  else if (state === 'carrying' && !isReading && answer.bytes >= MAX_HEAD_BYTES) fail(inside, headersTooLong(connection))
  answer.bytes += bytes
  return inside.state === 'carrying'
}

/** Reads nothing more until the receiver of a piece has decided. The request may have ended by then, and the connection may carry another. */
function awaitReceiver<Cargo>(inside: ConnectionState<Cargo>, controller: Dispatcher.DispatchController, more: Promise<boolean>) {
  const { cargo } = inside
  controller.pause()
  void more.then((isMore) => {
    if (inside.state !== 'carrying' || inside.cargo !== cargo) return
    if (isMore) controller.resume()
    else finish(inside, true)
  })
}

/** Handles undici's events of a request. They are ignored once the connection no longer carries the request. */
export const createHandler = <Cargo>(inside: ConnectionState<Cargo>): Dispatcher.DispatchHandler => ({
  /** Called right before undici writes, at the earliest one turn of the event loop after the previous response. */
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
    if (!inside.answer.setHead(status, headers, inside.connection.restricted)) finish(inside, true)
  },
  onResponseData(controller, piece) {
    if (inside.state !== 'carrying') return
    const more = inside.answer.addBody(piece)
    if (more === false) finish(inside, true)
    else if (more !== true) awaitReceiver(inside, controller, more)
  },
  onResponseEnd() {
    if (inside.state === 'carrying') finish(inside, false)
  },
  onResponseError(_controller, error) {
    if (inside.state === 'carrying') fail(inside, error)
  },
})
