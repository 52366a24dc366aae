import type { Pool } from 'pg'
import type { Sizes } from '../../sizes.ts'

const LARGEST = 12

const TABLES = `
  select relname as name, pg_total_relation_size(oid) as bytes from pg_class
  where relkind = 'r' and relnamespace = (select oid from pg_namespace where nspname = current_schema())
  order by 2 desc, 1 limit ${LARGEST}`

const TOTAL = 'select pg_database_size(current_database()) as bytes'

/** Only members of `pg_monitor` may ask. */
const WAL = 'select coalesce(sum(size), 0)::bigint as bytes from pg_ls_waldir()'

/** The tables of the database. Its disk is that of the server, which does not tell. */
export async function readDatabaseSizes(pool: Pool): Promise<Sizes> {
  const bytesOf = async (text: string): Promise<number> => (await pool.query<{ bytes: number }>(text)).rows[0]!.bytes
  const { rows } = await pool.query<{ name: string; bytes: number }>(TABLES)
  return { parts: rows, totalBytes: await bytesOf(TOTAL), walBytes: await bytesOf(WAL).catch(() => null), disk: null }
}
