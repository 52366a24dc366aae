import type { Kysely } from 'kysely'

/** Whom a call was about, and what it changed. */
export const addAuditTargets = async (db: Kysely<unknown>) => {
  for (const name of ['app_id', 'user_id', 'changes']) await db.schema.alterTable('audit_log').addColumn(name, 'text').execute()
}
