import type { Pool } from 'pg'
import type { Sizes } from '../../sizes.ts'

const LARGEST = 12

const TABLES = `
  select relname as name, pg_total_relation_size(oid) as bytes from pg_class
  where relkind = 'r' and relnamespace = (select oid from pg_namespace where nspname = current_schema())
  order by 2 desc, 1 limit ${LARGEST}`

/** Small tables too. */
const LOG = `
  select coalesce(sum(pg_total_relation_size(oid)), 0)::bigint as bytes from pg_class
  where relkind = 'r' and relname like 'log\\_%' and relnamespace = (select oid from pg_namespace where nspname = current_schema())`

const TOTAL = 'select pg_database_size(current_database()) as bytes'

/** Only members of `pg_monitor` may ask. */
const WAL = 'select coalesce(sum(size), 0)::bigint as bytes from pg_ls_waldir()'

/** The tables of the database. Its disk is that of the server, which does not tell. */
export async function readDatabaseSizes(pool: Pool): Promise<Sizes> {
  const bytesOf = async (text: string): Promise<number> => (await pool.query<{ bytes: number }>(text)).rows[0]!.bytes
  const { rows } = await pool.query<{ name: string; bytes: number }>(TABLES)
  return {
    parts: rows,
    totalBytes: await bytesOf(TOTAL),
    logBytes: await bytesOf(LOG),
    walBytes: await bytesOf(WAL).catch(() => null),
    disk: null,
  }
}

/** A process that waits for another one to end does so in a transaction, whose lock is an advisory one. */
const OLDEST = `
  select extract(epoch from clock_timestamp() - min(xact_start))::float8 * 1000 as ms from pg_stat_activity
  where datname = current_database() and pid <> pg_backend_pid() and wait_event is distinct from 'advisory'`

/** How old the oldest open transaction in this database is, among the sessions that this user may see; 0 without any. */
export async function oldestTransactionMs(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ ms: number | null }>(OLDEST)
  return Math.max(0, rows[0]!.ms ?? 0)
}
