import type { DatabaseSync } from 'node:sqlite'
import { type Migrated, type Migration, migrate } from '../migrate.ts'

async function inTransaction(db: DatabaseSync, run: (db: DatabaseSync) => Promise<void>) {
  db.exec('begin immediate')
  try {
    await run(db)
    db.exec('commit')
  } catch (error) {
    if (db.isTransaction) db.exec('rollback')
    throw error
  }
}

/** Brings the tables of a SQLite file to this version, on a connection that a thread has to itself. Answers what that took. */
export function migrateFile(db: DatabaseSync, migrations: readonly Migration<DatabaseSync>[]): Promise<Migrated> {
  const query = async <Row>(connection: DatabaseSync, text: string) => connection.prepare(text).all() as Row[]
  const now = `strftime('%Y-%m-%dT%H:%M:%fZ')`
  return migrate({ connection: db, now, query, transaction: (run) => inTransaction(db, run) }, [...migrations])
}
