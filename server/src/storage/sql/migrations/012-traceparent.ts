import { type Kysely, sql } from 'kysely'
import type { Flavour } from '../flavour.ts'

/** The span that appended an event. On SQLite the event log has a file and migrations of its own. */
export const addTraceparent = (flavour: Flavour) => async (db: Kysely<unknown>) => {
  if (flavour.name === 'postgres') await sql`alter table log_event add column traceparent text`.execute(db)
}
