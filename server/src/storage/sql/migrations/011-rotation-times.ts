import type { Kysely } from 'kysely'
import type { Flavour } from '../flavour.ts'
import { existingTable } from '../records/existing-table.ts'
import type { Database } from '../schema.ts'

/** A process of version 0.2 forgives a replaced refresh token by this time. Commits before 0.3.0 dropped it. */
export const keepRotationTimes = (flavour: Flavour) => async (db: Kysely<Database>) => {
  if ((await existingTable(db, flavour, 'oauth2_grants'))?.columns.has('rotated_at_ms')) return
  await db.schema.alterTable('oauth2_grants').addColumn('rotated_at_ms', 'bigint').execute()
}
