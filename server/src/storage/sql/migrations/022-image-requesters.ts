import { type Kysely, sql } from 'kysely'
import type { Flavour } from '../flavour.ts'

/** The catalog whose products link to an image that waits for its check. */
export const addImageRequesters = (flavour: Flavour) => async (db: Kysely<unknown>) => {
  await db.schema
    .alterTable('image_checks')
    .addColumn('requested_by', flavour.text, (column) => column.notNull().defaultTo(''))
    .execute()
  await sql`create index image_checks_queued on image_checks (requested_by) where due_at_ms is not null`.execute(db)
}
