import type { Clock } from '../../lib/clock.ts'
import { MINUTE_MS } from '../../lib/time.ts'
import { createAddressGuard, type Listener, readNetworks } from './address-guard.ts'
import { type Connection, type ConnectionEvents, createConnection } from './connection.ts'
import { createDeadlines } from './deadlines.ts'
import { explainError, explainTimeout, isClosedByPeer } from './explain-error.ts'
import { createIdleConnections } from './idle-connections.ts'
import { createOpenSocket } from './open-socket.ts'
import { type Outcome, SendFailure } from './outcome.ts'
import { createNameResolver } from './resolve-name.ts'
import { createSessionCache } from './session-cache.ts'
import { readTarget, type Target } from './target.ts'

export type { Outcome } from './outcome.ts'

/** After this a connection is not used again, so that a change of DNS is seen. */
const OLDEST_CONNECTION_MS = 5 * MINUTE_MS
/** About 30 KB of memory each. */
const MOST_IDLE_CONNECTIONS = 2000

export interface SenderOptions {
  clock: Clock
  /** CIDRs of networks that callbacks may reach although they are not public. */
  allow: readonly string[]
  /** Where Postern itself listens: never reachable, allow list or not. Asked whenever a connection is opened. */
  refuse: () => readonly Listener[]
  /** PEM certificates that are trusted besides the machine's. */
  ca?: string
  /** Name servers instead of the machine's, such as `127.0.0.1:5353`. */
  resolver?: readonly string[]
  /** How many idle connections are kept open for more work. */
  maxIdleConnections?: number
}

/** A request to a callback. It is sent as it stands: no header is added but `host`, `connection` and `content-length`. */
export interface Outgoing {
  method: 'GET' | 'POST'
  /** An absolute URL, or where one leads; whether http is allowed is for the caller to judge. */
  to: string | Target
  /** Name, value, name, value. */
  headers: string[]
  body?: Buffer
  /** One deadline over resolving, connecting, TLS, headers and body. */
  timeoutMs: number
}

export interface Sender {
  /** Never rejects. A redirect is an answer like any other. */
  send(out: Outgoing): Promise<Outcome>
  /** Ends at once what is in flight, as `shutting_down`; to let it finish, wait for its outcomes first. */
  close(): Promise<void>
}

/** A request on its way. */
interface Flight {
  out: Outgoing
  connection: Connection<Flight> | undefined
  startedMs: number
  dueMs: number
  resolve: (outcome: Outcome) => void
}

/** The requests that are on their way, each with its deadline; each ends once. */
function createFlights(clock: Clock) {
  const deadlines = createDeadlines<Flight>(clock, (flight) => {
    const connection = flight.connection!
    abandon(flight, explainTimeout(flight.out.timeoutMs, connection, connection.isSending()))
  })

  /** Answers how long it took. */
  const end = (flight: Flight) => {
    deadlines.remove(flight)
    return Math.round(clock.monotonic() - flight.startedMs)
  }

  const fail = (flight: Flight, { stage, message }: SendFailure) => {
    const latencyMs = end(flight)
    flight.resolve({ kind: 'failed', stage, message, latencyMs, restricted: flight.connection?.restricted ?? false })
  }

  const abandon = (flight: Flight, failure: SendFailure) => {
    fail(flight, failure)
    return flight.connection?.close()
  }

  return { add: deadlines.add, all: deadlines.all, end, fail, abandon }
}

/**
 * Sends requests to callbacks, over kept connections where there are any, and never to an address that the guard refuses.
 *
 * A flight starts on a warm connection of its origin or on a new one. It ends when the answer is whole or as long as is
 * read, when the connection fails, when its deadline passes, or when the sender closes. If the other side closed a kept
 * connection under it before anything of an answer came, it starts once more, on a new connection and with the same
 * deadline: servers may end an idle connection at any time, and a delivery may arrive twice.
 */
export function createSender({ clock, allow, refuse, ca, resolver, maxIdleConnections }: SenderOptions): Sender {
  const names = createNameResolver(clock, resolver)
  const judge = createAddressGuard({ allow: readNetworks(allow), ownListeners: refuse })
  const openSocket = createOpenSocket({ names, judge, sessions: createSessionCache(clock), ca })
  const warm = createIdleConnections<Connection<Flight>>(maxIdleConnections ?? MOST_IDLE_CONNECTIONS, (longest) => longest.close())
  const flights = createFlights(clock)
  let isClosed = false

  const events: ConnectionEvents<Flight> = {
    answered(flight, answer, connection) {
      if (connection.isIdle()) warm.put(connection)
      const latencyMs = flights.end(flight)
      flight.resolve({ kind: 'answered', ...answer, latencyMs, restricted: connection.restricted })
    },
    failed(flight, error, connection) {
      if (connection.isReused() && isClosedByPeer(error, connection.step)) start(flight, open)
      else flights.fail(flight, explainError(error, connection))
    },
    notSent: (flight) => start(flight, open),
    dropped: (connection) => warm.remove(connection),
  }

  const open = (target: Target) => createConnection(target, clock, openSocket, events)

  const launch = (flight: Flight, { path }: Target, connection: Connection<Flight>) => {
    const { method, headers, body } = flight.out
    flight.connection = connection
    connection.carry({ path, method, headers, body }, flight)
  }

  /** A warm connection that is young enough, or a new one. */
  const connectionTo = (target: Target) => {
    for (let found = warm.take(target.origin); found; found = warm.take(target.origin)) {
      if (clock.elapsed() - found.openedMs < OLDEST_CONNECTION_MS) return found
      found.close()
    }
    return open(target)
  }

  const start = (flight: Flight, choose: (target: Target) => Connection<Flight>) => {
    if (isClosed) return flights.fail(flight, shuttingDown())
    const { to } = flight.out
    const target = typeof to === 'string' ? readTarget(to) : to
    if (target instanceof SendFailure) return flights.fail(flight, target)
    flights.add(flight)
    launch(flight, target, choose(target))
  }

  const send = (out: Outgoing) =>
    new Promise<Outcome>((resolve) =>
      start({ out, connection: undefined, startedMs: clock.monotonic(), dueMs: clock.elapsed() + out.timeoutMs, resolve }, connectionTo),
    )

  const close = async () => {
    isClosed = true
    names.close()
    const inFlight = [...flights.all()].map((flight) => flights.abandon(flight, shuttingDown()))
    await Promise.all([...inFlight, ...[...warm.all()].map((connection) => connection.close())])
  }

  return { send, close }
}

const shuttingDown = () => new SendFailure('shutting_down', 'Postern is shutting down')
