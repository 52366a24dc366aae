import { type ConnectionState, drop, fail, finish, skip } from './connection-state.ts'
import { headersTooLong, isClosedByPeer } from './explain-error.ts'
import { MAX_HEAD_BYTES } from './read-answer.ts'
import type { ResponseHandler } from './response/parsing.ts'

/** Parses as much as the limits allow. Bytes beyond the response, or beyond its limits, close the connection. */
function parse<Cargo>(inside: ConnectionState<Cargo>, bytes: Buffer, end: number) {
  const { answer, parser, connection } = inside
  for (let at = 0; at < end; ) {
    const isReading = connection.step === 'reading'
    const stop = Math.min(end, at + (isReading ? answer.maxBytes : MAX_HEAD_BYTES) - inside.readBytes)
    if (stop <= at) return isReading ? finish(inside, true) : fail(inside, headersTooLong(connection))
    const next = parser.read(bytes, at, stop)
    inside.readBytes += next - at
    at = next
    if (inside.phase !== 'carrying') return
    if (inside.held) return void inside.held.pieces.push(Buffer.from(bytes.subarray(at, end)))
    if (parser.isComplete) return finish(inside, false, at < end)
  }
}

/** Takes `bytes` up to `end` as they arrive. They are valid only during the call. */
export function receive<Cargo>(inside: ConnectionState<Cargo>, bytes: Buffer, end: number) {
  if (inside.held) inside.held.pieces.push(Buffer.from(bytes.subarray(0, end)))
  else if (inside.phase === 'idle') drop(inside)
  else if (inside.phase === 'carrying' && inside.outgoing) skip(inside)
  else if (inside.phase === 'carrying') {
    try {
      parse(inside, bytes, end)
    } catch (error) {
      if (inside.phase !== 'carrying') throw error
      fail(inside, error as Error)
    }
  }
}

/** The other side has closed the connection: after all that it had to say, or the connection is gone. */
export class ConnectionEnded extends Error {
  readonly code = 'ECONNRESET'
  readonly isClean: boolean
  constructor(isClean: boolean) {
    super('closed')
    this.isClean = isClean
  }
}

/**
 * Whether the end of the connection is the end of the body. Without a length nothing else tells that a body is whole, so one that somebody
 * reads needs a clean end. Of other answers the status counts.
 */
const endsBody = <Cargo>({ parser, answer }: ConnectionState<Cargo>, error: Error) =>
  parser.isUntilClose && (answer.isReceived ? error instanceof ConnectionEnded && error.isClean : isClosedByPeer(error))

/** The other side closed the connection, or it broke. */
export function lose<Cargo>(inside: ConnectionState<Cargo>, error: Error) {
  if (inside.held) inside.held.error ??= error
  else if (inside.phase === 'idle') drop(inside)
  else if (inside.phase === 'carrying' && inside.outgoing) skip(inside)
  else if (inside.phase === 'carrying' && endsBody(inside, error)) finish(inside, false)
  else if (inside.phase === 'carrying') fail(inside, error)
}

/** Parses nothing until `release`. */
export function hold<Cargo>(inside: ConnectionState<Cargo>) {
  inside.held = { pieces: [], error: undefined }
}

/** Goes on with what has arrived since `hold`. */
export function release<Cargo>(inside: ConnectionState<Cargo>) {
  if (!inside.held) return
  const { pieces, error } = inside.held
  const more = pieces.filter(({ length }) => length > 0)
  inside.held = undefined
  if (inside.parser.isComplete) finish(inside, false, more.length > 0)
  else for (const piece of more) receive(inside, piece, piece.length)
  if (error) lose(inside, error)
}

/** Reads nothing more until the receiver of a piece has decided. The request may have ended by then, and the connection may carry another. */
function awaitReceiver<Cargo>(inside: ConnectionState<Cargo>, more: Promise<boolean>) {
  const { cargo, socket } = inside
  hold(inside)
  socket!.pause()
  void more.then((isMore) => {
    if (inside.phase !== 'carrying' || inside.cargo !== cargo) return
    if (!isMore) return finish(inside, true)
    socket!.resume()
    release(inside)
  })
}

/** Collects what is parsed. */
export const createHandler = <Cargo>(inside: () => ConnectionState<Cargo>): ResponseHandler => ({
  head(status, headers, length) {
    const { answer, connection } = inside()
    connection.step = 'reading'
    const isWanted = answer.setHead(status, headers, length, connection.restricted)
    if (!isWanted) finish(inside(), true)
    return isWanted
  },
  body(bytes, at, end) {
    const more = inside().answer.addBody(Buffer.from(bytes.subarray(at, end)))
    if (more === false) finish(inside(), true)
    else if (more !== true) awaitReceiver(inside(), more)
    return more === true
  },
})
