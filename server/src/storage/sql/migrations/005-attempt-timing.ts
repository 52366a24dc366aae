import { type Kysely, sql } from 'kysely'
import type { Flavour } from '../flavour.ts'

/** When the steps of an attempt began. On SQLite the event log has a file and migrations of its own. */
export const addAttemptTiming = (flavour: Flavour) => async (db: Kysely<unknown>) => {
  if (flavour.name === 'postgres') await sql`alter table log_attempt add column timing text not null default ''`.execute(db)
}
