import { type Kysely, sql } from 'kysely'
import type { Flavour } from '../flavour.ts'
import { newTable } from './new-table.ts'

/** The table `facts` is called `metadata`. The lock table of the former migrator goes: an advisory lock or the file's lock does its work. */
export const renameFacts = (flavour: Flavour) => async (db: Kysely<unknown>) => {
  await newTable(db, flavour, 'metadata', { name: 'text', value: 'text' }).addPrimaryKeyConstraint('metadata_pkey', ['name']).execute()
  await sql`insert into metadata (name, value) select name, value from facts`.execute(db)
  await db.schema.dropTable('facts').execute()
  await db.schema.dropTable('migrations_lock').ifExists().execute()
}
