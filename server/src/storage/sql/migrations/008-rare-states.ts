import { type Kysely, sql } from 'kysely'
import type { Flavour } from '../flavour.ts'

/**
 * By which pages of a rare state are read. Only an attempt that did not deliver writes into them. On SQLite the event log has a file and
 * migrations of its own.
 */
export const addRareStates = (flavour: Flavour) => async (db: Kysely<unknown>) => {
  if (flavour.name !== 'postgres') return
  const undelivered = sql`log_attempt (outcome, sequence) where outcome <> 'delivered' and origin = ''`
  await sql`create index log_attempt_undelivered on ${undelivered}`.execute(db)
  await sql`create index log_open_by_time on log_open (sequence) where due_ms is not null`.execute(db)
}
