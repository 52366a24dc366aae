import type { Kysely } from 'kysely'

/** What ends the sessions of an app's portal. */
export const addPortalGeneration = async (db: Kysely<unknown>) => {
  await db.schema
    .alterTable('apps')
    .addColumn('portal_generation', 'integer', (column) => column.notNull().defaultTo(1))
    .execute()
}
