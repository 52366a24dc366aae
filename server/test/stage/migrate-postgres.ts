import { Kysely, PostgresDialect } from 'kysely'
import { Pool } from 'pg'
import { postgresFlavour } from '../../src/storage/sql/flavour.ts'
import { migrateDatabase } from '../../src/storage/sql/migrate-database.ts'
import type { Database } from '../../src/storage/sql/schema.ts'

/** Makes all tables of a PostgreSQL database but the declared ones, for a test of the event log alone. */
export async function migratePostgres(url: string): Promise<void> {
  const db = new Kysely<Database>({ dialect: new PostgresDialect({ pool: new Pool({ connectionString: url, max: 1 }) }) })
  await migrateDatabase(db, postgresFlavour).finally(() => db.destroy())
}
