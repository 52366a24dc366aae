import type { Kysely } from 'kysely'
import type { Flavour } from '../flavour.ts'
import { newTable } from './new-table.ts'

/** Which apps may use the activity API, how much of it, and how much they have used. */
export const addActivityApps = (flavour: Flavour) => async (db: Kysely<unknown>) => {
  await db.schema
    .alterTable('apps')
    .addColumn('activity_enrolled', 'boolean', (it) => it.notNull().defaultTo(true))
    .execute()
  await db.schema.alterTable('apps').addColumn('usage_cap', 'bigint').execute()
  await newTable(db, flavour, 'app_usage', { app_id: 'text', month: 'integer', deliveries: 'bigint' })
    .addPrimaryKeyConstraint('app_usage_pkey', ['app_id'])
    .addForeignKeyConstraint('app_usage_app', ['app_id'], 'apps', ['id'], (it) => it.onDelete('cascade'))
    .execute()
}
