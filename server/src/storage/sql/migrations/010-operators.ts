import { type Kysely, sql } from 'kysely'
import type { Flavour } from '../flavour.ts'

/**
 * What operators repair accounts and apps with: which version of an app's secret its bearer token was given to (of those that exist, the
 * current one), users who are disabled, and the name of the operator token of a call. Tokens and sessions are found by their user.
 */
export const addOperators = (flavour: Flavour) => async (db: Kysely<unknown>) => {
  await db.schema
    .alterTable('bearer_tokens')
    .addColumn('secret_version', 'integer', (it) => it.notNull().defaultTo(1))
    .execute()
  await sql`update bearer_tokens set secret_version = (select secret_version from apps where apps.id = bearer_tokens.app_id)`.execute(db)
  await db.schema
    .alterTable('users')
    .addColumn('disabled', 'boolean', (it) => it.notNull().defaultTo(false))
    .execute()
  await db.schema.alterTable('audit_log').addColumn('token_name', flavour.text).execute()
  await db.schema.createIndex('user_tokens_of_user').on('user_tokens').column('user_id').execute()
  await db.schema.createIndex('sessions_of_user').on('sessions').column('user_id').execute()
}
