import { Kysely, PostgresDialect } from 'kysely'
import { postgresFlavour } from '../../src/storage/sql/flavour.ts'
import { migrateDatabase } from '../../src/storage/sql/migrate-database.ts'
import type { Database } from '../../src/storage/sql/schema.ts'
import { openPool } from './pool.ts'

/** Makes all tables of a PostgreSQL database but the declared ones, for a test of the event log alone. */
export async function migratePostgres(url: string): Promise<void> {
  const db = new Kysely<Database>({ dialect: new PostgresDialect({ pool: openPool(url, 1) }) })
  await migrateDatabase(db, postgresFlavour).finally(() => db.destroy())
}
