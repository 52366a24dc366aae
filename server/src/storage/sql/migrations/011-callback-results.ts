import { type Kysely, sql } from 'kysely'
import type { Flavour } from '../flavour.ts'

/**
 * What operators see of callbacks: the result of a webhook's last challenge, and the beginning of the response to each attempt. On SQLite
 * attempts are in the file of the event log, which has migrations of its own. The index finds invalid webhooks among many.
 */
export const addCallbackResults = (flavour: Flavour) => async (db: Kysely<unknown>) => {
  await db.schema.alterTable('webhooks').addColumn('last_challenge_at_ms', 'bigint').execute()
  await db.schema.alterTable('webhooks').addColumn('last_challenge_failure', flavour.text).execute()
  await sql`create index webhooks_invalid on webhooks (id) where valid = false`.execute(db)
  if (flavour.name === 'postgres') await sql`alter table log_attempt add column response text not null default ''`.execute(db)
}
