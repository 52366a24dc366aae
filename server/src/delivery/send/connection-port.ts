import type { Clock } from '../../lib/clock.ts'
import type { OpenSocket, Progress } from './open-socket.ts'
import type { Answer, BodyReceiver } from './read-answer.ts'
import type { Target } from './target.ts'

/** A request as it is sent. `host`, `connection` and `content-length` are added. */
export interface Request {
  method: 'GET' | 'POST'
  /** Path and query. */
  path: string
  /** Name, value, name, value. */
  headers: readonly string[]
  body?: Buffer
}

/** Called by a connection. Each request that it carries ends with exactly one of the first three. */
export interface ConnectionEvents<Cargo> {
  answered(cargo: Cargo, answer: Answer, connection: Connection<Cargo>): void
  failed(cargo: Cargo, error: Error, connection: Connection<Cargo>): void
  /**
   * Nothing of the request was sent, because the other side has not read the whole previous request, has closed the connection or has sent
   * something without a request. The connection is closed.
   */
  notSent(cargo: Cargo, connection: Connection<Cargo>): void
  /** The connection was closed while it carried nothing. */
  dropped(connection: Connection<Cargo>): void
}

export interface Connection<Cargo> extends Progress {
  readonly origin: string
  /** When the steps of the last request began; see `Steps`. */
  timing(sinceMs: number): string
  /** When it was created, in elapsed milliseconds of the clock; its socket is no older. */
  readonly openedMs: number
  /** When it has been idle for too long, in elapsed milliseconds of the clock. Valid while it is idle. */
  readonly dueMs: number
  /** Whether the current request uses a socket that was open before, and no byte of its response has been read. */
  isReused(): boolean
  /** Whether it can carry another request. */
  isIdle(): boolean
  /** Whether the request may not be completely sent: its write has not called back. */
  isSending(): boolean
  /** Sends a request. `cargo` is passed to the event that ends it; `receiver` takes the body of the response, if it is not to be kept. */
  carry(request: Request, cargo: Cargo, receiver?: BodyReceiver): void
  /** Closes the connection without an event. */
  close(): Promise<void>
}

/** Creates a connection. Its socket is opened with the first request. */
export type CreateConnection = <Cargo>(
  target: Target,
  clock: Clock,
  openSocket: OpenSocket,
  events: ConnectionEvents<Cargo>,
) => Connection<Cargo>
