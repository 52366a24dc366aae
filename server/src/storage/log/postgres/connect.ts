import pg from 'pg'

/** One connection commits, the others read. */
const CONNECTIONS = 4
const INT8 = 20
/** What a statement may take until the database counts as away. */
const QUERY_TIMEOUT_MS = 30_000

/** Everything the log asks is a lookup by key: a plan made while the tables were small stays right when they have grown. */
const lookupsOnly = '-c enable_seqscan=off -c enable_hashjoin=off -c enable_mergejoin=off'

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

/** The connections of the log to the database at `url`. */
export function connect(url: string): pg.Pool {
  const pool = new pg.Pool({ ...connectionConfig(url), max: CONNECTIONS, options: lookupsOnly })
  // A connection that breaks is replaced by the next that is needed; whoever was using it hears of it from the query.
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}
