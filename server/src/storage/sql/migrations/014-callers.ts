import type { Kysely } from 'kysely'
import type { Flavour } from '../flavour.ts'

/** The client address of an operator call, and who created a replay job: of those that exist, their app. */
export const addCallers = (flavour: Flavour) => async (db: Kysely<unknown>) => {
  await db.schema.alterTable('audit_log').addColumn('address', flavour.text).execute()
  await db.schema
    .alterTable('replay_jobs')
    .addColumn('created_by', flavour.text, (it) => it.notNull().defaultTo('app'))
    .execute()
}
