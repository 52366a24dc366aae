import { type Kysely, sql } from 'kysely'
import type { Flavour } from '../flavour.ts'

/**
 * By which retries of a webhook are found in order while others are skipped. Only an attempt that is retried writes into it. On SQLite the
 * event log has a file and migrations of its own.
 */
export const addRetriesOfWebhooks = (flavour: Flavour) => async (db: Kysely<unknown>) => {
  if (flavour.name !== 'postgres') return
  const retrying = sql`log_open (webhook_id, due_ms, sequence) where owner is null and due_ms is not null`
  await sql`create index log_open_retries_of_webhook on ${retrying}`.execute(db)
}
