import { sql } from 'kysely'
import type { SqlDatabase } from './sql-database.ts'

/** After this many added rows one slice of expired rows is deleted. Slices are larger than this, so that deletion keeps up. */
const PURGE_EVERY = 256
const SLICE_ROWS = 512

/** A table whose rows expire, its key, and the column with the expiry in milliseconds since 1970. */
export interface ExpiringTable {
  table: string
  key: string
  endsAtMs: string
}

/** Deletes expired rows in slices while rows are added. Call the result with the number of added rows. */
export function createPurge(
  { unannounced, flavour }: Pick<SqlDatabase, 'unannounced' | 'flavour'>,
  { table, key, endsAtMs }: ExpiringTable,
) {
  let added = 0
  const passing = flavour.locksRows ? sql`for update skip locked` : sql``
  return async (rows: number, nowMs: number): Promise<void> => {
    added += rows
    if (added < PURGE_EVERY) return
    added = 0
    await sql`delete from ${sql.table(table)} where ${sql.ref(key)} in (
      select ${sql.ref(key)} from ${sql.table(table)} where ${sql.ref(endsAtMs)} <= ${nowMs} limit ${sql.lit(SLICE_ROWS)} ${passing})`.execute(
      unannounced,
    )
  }
}
