import { Pool, type PoolClient } from 'pg'
import type { Outage } from '../outage.ts'
import { Unavailable } from '../unavailable.ts'
import { connectionConfig, destroyConnection, impatientClient, sessionSettings, type Timeouts } from './connection.ts'

const IDLE_TIMEOUT_MS = 30_000
/** Who waits for a connection beyond this number is refused at once. */
const MOST_WAITING = 2000

export interface PoolOptions {
  url: string
  /** What the server shows the connections as. */
  name: string
  connections: number
  timeouts: Timeouts
  /** Settings of each session, such as `enable_seqscan = off`. */
  settings?: readonly string[]
  outage: Outage
}

/** Closes connections that nobody uses now. */
const destroyAll = (idle: Iterable<PoolClient>) => {
  for (const client of idle) destroyConnection(client)
}

/**
 * Connections to PostgreSQL. One that breaks, or whose answer does not come in time, is destroyed, and so are those that are idle
 * when any connection to this database has not answered. The next that is needed is opened anew.
 */
export function createPool({ url, name, connections, timeouts, settings, outage }: PoolOptions): Pool {
  const idle = new Set<PoolClient>()
  const pool = new Pool({
    ...connectionConfig(url, name, timeouts.answerMs),
    max: connections,
    idleTimeoutMillis: IDLE_TIMEOUT_MS,
    Client: impatientClient(outage.suspect),
    onConnect: (client) => client.query(sessionSettings(timeouts, settings)),
  })
  outage.onSuspect(() => destroyAll(idle))
  pool.on('release', (_error, client) => void idle.add(client as PoolClient))
  pool.on('acquire', (client) => void idle.delete(client))
  pool.on('remove', (client) => void idle.delete(client))
  pool.on('error', (error) => outage.report(error))
  // A connection can also be lost between two statements of a transaction: the next one fails, and nobody else needs to hear of it.
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}

/** Refuses whoever would wait behind too many others. */
export function assertFewWait(pool: Pool): void {
  if (pool.waitingCount >= MOST_WAITING)
    throw new Unavailable('Too many requests are waiting for a database connection. Nothing was changed; retry in a moment.')
}
