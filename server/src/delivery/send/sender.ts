import type { Clock } from '../../lib/clock.ts'
import { MINUTE_MS } from '../../lib/time.ts'
import { createAddressGuard, type Listener, readNetworks } from './address-guard.ts'
import { createConnection as createOwnConnection } from './connection.ts'
import type { Connection, ConnectionEvents, CreateConnection } from './connection-port.ts'
import { createDeadlines } from './deadlines.ts'
import { explainError, explainTimeout, isClosedByPeer } from './explain-error.ts'
import { createIdleConnections } from './idle-connections.ts'
import { createOpenSocket } from './open-socket.ts'
import { type Outcome, SendFailure } from './outcome.ts'
import type { BodyReceiver } from './read-answer.ts'
import { createNameResolver } from './resolve-name.ts'
import { createSessionCache } from './session-cache.ts'
import { readTarget, type Target } from './target.ts'

export type { Outcome } from './outcome.ts'

/** Older connections are not reused, so that changes of DNS take effect. */
const MAX_CONNECTION_AGE_MS = 5 * MINUTE_MS
/** About 24 KB of memory each. */
const MAX_IDLE_CONNECTIONS = 2000

export interface SenderOptions {
  clock: Clock
  /** CIDRs of networks that are allowed although they are not public. */
  allow: readonly string[]
  /** Postern's own listeners, which are always refused. Called for each new connection. */
  refuse: () => readonly Listener[]
  /** PEM certificates that are trusted in addition to the system's. */
  ca?: string
  /** Name servers instead of the system's, such as `127.0.0.1:5353`. */
  resolver?: readonly string[]
  /** How many idle connections are kept open. */
  maxIdleConnections?: number
  /** Another implementation of connections. */
  createConnection?: CreateConnection
}

/** A request to a callback. It is sent unchanged: only `host`, `connection` and `content-length` are added. */
export interface Outgoing {
  method: 'GET' | 'POST'
  /** An absolute URL or a parsed one. The caller decides whether http is allowed. */
  to: string | Target
  /** Name, value, name, value. */
  headers: string[]
  body?: Buffer
  /** Takes the body of the response; the outcome has none then. */
  receiver?: BodyReceiver
  /** Over a connection of its own: no idle one is used. */
  isAlone?: boolean
  /** Deadline for everything: DNS, connecting, TLS, headers and body. */
  timeoutMs: number
}

export interface Sender {
  /** Rejects only with `Unavailable`, while the database is a held copy (`heldBack`). Redirects are not followed. */
  send(out: Outgoing): Promise<Outcome>
  /** Aborts the requests in flight as `shutting_down`. To let them finish, wait for their outcomes first. */
  close(): Promise<void>
}

/** A request in flight. */
interface Flight {
  out: Outgoing
  connection: Connection<Flight> | undefined
  startedMs: number
  dueMs: number
  resolve: (outcome: Outcome) => void
}

/** The requests in flight, each with its deadline. Each ends once. */
function createFlights(clock: Clock) {
  const deadlines = createDeadlines<Flight>(clock, (flight) => {
    const connection = flight.connection!
    abandon(flight, explainTimeout(flight.out.timeoutMs, connection, connection.isSending()))
  })

  /** Returns how long it took, when its steps began, and with whom. */
  const end = (flight: Flight) => {
    deadlines.remove(flight)
    const { startedMs, connection } = flight
    return {
      latencyMs: Math.round(clock.monotonic() - startedMs),
      timing: connection?.timing(startedMs) ?? '',
      peer: connection?.peer ?? '',
    }
  }

  const fail = (flight: Flight, { stage, message }: SendFailure) => {
    flight.resolve({ kind: 'failed', stage, message, ...end(flight), restricted: flight.connection?.restricted ?? false })
  }

  const abandon = (flight: Flight, failure: SendFailure) => {
    fail(flight, failure)
    return flight.connection?.close()
  }

  return { add: deadlines.add, all: deadlines.all, end, fail, abandon }
}

/**
 * Sends requests to callbacks, over idle connections if there are any, and never to an address that the guard refuses.
 *
 * A flight starts on an idle connection of its origin or on a new one. It ends when the response is complete or at its limit, when the
 * connection fails, when its deadline passes, or when the sender closes. If the other side closed a reused connection before any byte of
 * the response, the flight starts once more, on a new connection and with the same deadline: servers may close an idle connection at any
 * time, and a delivery may arrive twice.
 */
export function createSender({ clock, allow, refuse, ca, resolver, maxIdleConnections, createConnection }: SenderOptions): Sender {
  const names = createNameResolver(clock, resolver)
  const checkAddress = createAddressGuard({ allow: readNetworks(allow), ownListeners: refuse })
  const openSocket = createOpenSocket({ names, checkAddress, sessions: createSessionCache(clock), ca })
  const idle = createIdleConnections<Connection<Flight>>(clock, maxIdleConnections ?? MAX_IDLE_CONNECTIONS, (longest) => longest.close())
  const flights = createFlights(clock)
  let isClosed = false

  const events: ConnectionEvents<Flight> = {
    answered(flight, answer, connection) {
      if (connection.isIdle()) idle.put(connection)
      flight.resolve({ kind: 'answered', ...answer, ...flights.end(flight), restricted: connection.restricted })
    },
    failed(flight, error, connection) {
      if (connection.isReused() && isClosedByPeer(error)) start(flight, open)
      else flights.fail(flight, explainError(error, connection))
    },
    notSent: (flight) => start(flight, open),
    dropped: (connection) => idle.remove(connection),
  }

  const create = createConnection ?? createOwnConnection
  const open = (target: Target) => create(target, clock, openSocket, events)

  const launch = (flight: Flight, { path }: Target, connection: Connection<Flight>) => {
    const { method, headers, body, receiver } = flight.out
    flight.connection = connection
    connection.carry({ path, method, headers, body }, flight, receiver)
  }

  /** An idle connection that is not too old, or a new one. */
  const connectionTo = (target: Target) => {
    for (let found = idle.take(target.origin); found; found = idle.take(target.origin)) {
      if (clock.elapsed() - found.openedMs < MAX_CONNECTION_AGE_MS) return found
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
      start(
        { out, connection: undefined, startedMs: clock.monotonic(), dueMs: clock.elapsed() + out.timeoutMs, resolve },
        out.isAlone ? open : connectionTo,
      ),
    )

  const close = async () => {
    isClosed = true
    names.close()
    const inFlight = [...flights.all()].map((flight) => flights.abandon(flight, shuttingDown()))
    await Promise.all([...inFlight, ...[...idle.all()].map((connection) => connection.close())])
  }

  return { send, close }
}

const shuttingDown = () => new SendFailure('shutting_down', 'Postern is shutting down')
