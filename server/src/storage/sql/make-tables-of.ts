import { Kysely, PostgresDialect } from 'kysely'
import type { Client } from 'pg'
import type { RecordType } from '../records.ts'
import { postgresFlavour } from './flavour.ts'
import { migrateOnce } from './migrate-database.ts'
import type { Database } from './schema.ts'

/**
 * Makes the tables of PostgreSQL as they are after these migrations, and the declared ones of this version, in the transaction that the
 * connection has begun.
 */
export async function makeTablesOf(client: Client, migrations: readonly string[], recordTypes: readonly RecordType[]): Promise<void> {
  const only = { query: client.query.bind(client), release() {} }
  const pool = { connect: async () => only, end: async () => {} }
  const db = new Kysely<Database>({ dialect: new PostgresDialect({ pool: pool as never }) })
  await migrateOnce(db, postgresFlavour, migrations, recordTypes)
  await db.destroy()
}
