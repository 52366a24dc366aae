import type { Kysely } from 'kysely'
import type { Flavour } from '../flavour.ts'

/** On SQLite used nonces are in files beside the database, which take over what is in the table before this step. */
export const dropNonces = (flavour: Flavour) => async (db: Kysely<unknown>) => {
  if (flavour.name === 'sqlite') await db.schema.dropTable('nonces').execute()
}
