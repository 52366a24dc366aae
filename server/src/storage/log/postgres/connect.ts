import pg from 'pg'
import { keysOnlyOptions } from './keys-only.ts'

/** For all but the commits, which have one of their own. */
const CONNECTIONS = 3
const INT8 = 20
/** What a statement may take until the database counts as away. */
const QUERY_TIMEOUT_MS = 30_000

/** Everything the log asks goes along an index: a plan made while the tables were small stays right when they have grown. */
const indexesOnlyOptions = '-c enable_seqscan=off -c enable_hashjoin=off -c enable_mergejoin=off'

/** Sequence numbers and milliseconds are below 2^53. */
const getTypeParser = ((oid: number, format?: 'text') =>
  oid === INT8 ? Number : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser

export const connectionConfig = (url: string): pg.ClientConfig => ({
  connectionString: url,
  application_name: 'postern-log',
  connectionTimeoutMillis: 5000,
  query_timeout: QUERY_TIMEOUT_MS,
  keepAlive: true,
  keepAliveInitialDelayMillis: 10_000,
  types: { getTypeParser },
})

function createPool(url: string, max: number, options: string): pg.Pool {
  const pool = new pg.Pool({ ...connectionConfig(url), max, options })
  // A connection that breaks is replaced by the next that is needed; whoever was using it hears of it from the query.
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}

/** The connections of the log to the database at `url`. */
export const connect = (url: string): pg.Pool => createPool(url, CONNECTIONS, indexesOnlyOptions)

/** The connection that commits, one batch at a time. */
export const connectForCommits = (url: string): pg.Pool => createPool(url, 1, keysOnlyOptions)
