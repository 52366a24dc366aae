import { sql } from 'kysely'
import type { SqlDatabase } from './sql-database.ts'

/** Every so many rows that this process adds, one slice of those that ended is deleted; so slices keep up. */
const PURGE_EVERY = 256
const SLICE_ROWS = 512

/** A table whose rows expire, its key, and the column that says when, in milliseconds since 1970. */
export interface ExpiringTable {
  table: string
  key: string
  endsAtMs: string
}

/** Deletes expired rows, a slice at a time, when rows are added. To be called with the number of rows that are added. */
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
