import { type Client, Pool, type PoolClient } from 'pg'
import type { Outage } from '../outage.ts'
import { Unavailable } from '../unavailable.ts'
import { connectionConfig, destroyConnection, prepareSession, type Timeouts, watchfulClient } from './connection.ts'

const IDLE_TIMEOUT_MS = 30_000
/** With more requests waiting for a connection, others are rejected at once. */
const MAX_WAITING = 2000

export interface PoolOptions {
  url: string
  /** The `application_name` of the connections. */
  name: string
  connections: number
  timeouts: Timeouts
  /** Settings of each session, such as `enable_seqscan = off`. */
  settings?: readonly string[]
  /** A connection takes the next statement before it has answered the last. */
  pipeline?: boolean
  outage: Outage
  /** Idle connections do not keep the process alive. */
  unheld?: boolean | undefined
}

/** Closes idle connections. */
const destroyAll = (idle: Iterable<PoolClient>) => {
  for (const client of idle) destroyConnection(client)
}

/**
 * A pool of connections to PostgreSQL. A connection that breaks, does not respond in time or can write nothing is destroyed. So are idle
 * ones when any connection to this database has not responded, or could not write. New ones are opened on demand.
 */
export function createPool({ url, name, connections, timeouts, settings, pipeline = false, outage, unheld = false }: PoolOptions): Pool {
  const idle = new Set<PoolClient>()
  /** Those that end with their release: a rollback may come before it. */
  const spent = new WeakSet<object>()
  const pool = new Pool({
    ...connectionConfig(url, name, timeouts.answerMs),
    max: connections,
    pipeline,
    idleTimeoutMillis: IDLE_TIMEOUT_MS,
    allowExitOnIdle: unheld,
    Client: watchfulClient({
      unanswered: () => outage.suspectConnections('unanswered'),
      readOnly(client) {
        spent.add(client)
        outage.suspectConnections('read-only')
      },
    }),
    onConnect: (client) => prepareSession(client, timeouts, settings),
  })
  const forget = outage.onSuspect(() => destroyAll(idle))
  const end = pool.end.bind(pool)
  // The outage outlives a pool: of a log that is away one is opened each second.
  pool.end = () => {
    forget()
    return end()
  }
  pool.on('release', (_error, client) => {
    if (spent.has(client)) void (client as unknown as Client).end().catch(() => {})
    else idle.add(client as PoolClient)
  })
  pool.on('acquire', (client) => void idle.delete(client))
  pool.on('remove', (client) => void idle.delete(client))
  pool.on('error', (error) => outage.report(error))
  // A connection can also be lost between two statements of a transaction. The next statement fails, so the event can be ignored.
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}

/** Throws if too many requests wait for a connection. */
export function assertFewWait(pool: Pool): void {
  if (pool.waitingCount >= MAX_WAITING)
    throw new Unavailable('Too many requests are waiting for a database connection. Nothing was changed; retry in a moment.')
}
