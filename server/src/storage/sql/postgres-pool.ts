import { type ClientConfig, Pool, type PoolConfig, types } from 'pg'
import type { StorageLog } from '../storage-log.ts'

const INT8 = 20

const CONNECTION_LIMIT = 10
const UNSYNCED_CONNECTION_LIMIT = 2
/** What a statement may take until the database counts as away. */
const QUERY_TIMEOUT_MS = 30_000

const getTypeParser = ((oid: number, format?: 'text') =>
  oid === INT8 ? Number : types.getTypeParser(oid, format)) as typeof types.getTypeParser

/** What every connection is made with. An int8 is read as a number: all of ours are below 2^53, but for longs, which are read as text. */
export const connectionConfig = (url: string): ClientConfig => ({
  connectionString: url,
  application_name: 'postern',
  connectionTimeoutMillis: 5000,
  keepAlive: true,
  keepAliveInitialDelayMillis: 10_000,
  types: { getTypeParser },
})

/** The connections that queries run on. One that breaks is dropped, and the next query opens another. */
export function createPool(url: string, log?: StorageLog, own: PoolConfig = {}): Pool {
  const pool = new Pool({
    ...connectionConfig(url),
    max: CONNECTION_LIMIT,
    query_timeout: QUERY_TIMEOUT_MS,
    idleTimeoutMillis: 30_000,
    ...own,
  })
  pool.on('error', (error) => log?.warn({ err: error }, 'a connection to PostgreSQL was lost'))
  // A connection can also be lost between two statements of a transaction: the next one fails, and nobody else needs to hear of it.
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}

/**
 * Connections whose commits do not wait for the disk: they outlast this process, but the last of them, written within three times the
 * server's `wal_writer_delay`, not a crash of the server. A statement pays no round trip for it; a new connection pays one.
 */
export const createUnsyncedPool = (url: string, log?: StorageLog): Pool =>
  createPool(url, log, {
    max: UNSYNCED_CONNECTION_LIMIT,
    onConnect: async (client) => void (await client.query('set synchronous_commit = off')),
  })
