import type { Kysely } from 'kysely'

/** How often an app's consumer secret was rotated, and which of its secrets each callback has last answered a challenge with. */
export const addSecretVersions = async (db: Kysely<unknown>) => {
  await db.schema
    .alterTable('apps')
    .addColumn('secret_version', 'integer', (it) => it.notNull().defaultTo(1))
    .execute()
  await db.schema
    .alterTable('webhooks')
    .addColumn('proven_secret_version', 'integer', (it) => it.notNull().defaultTo(1))
    .execute()
}
