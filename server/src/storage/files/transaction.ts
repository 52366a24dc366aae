import type { DatabaseSync } from 'node:sqlite'

/** Runs `work` in one transaction of a connection to SQLite, which is rolled back if it throws. */
export function transaction<T>(db: DatabaseSync, work: () => T): T {
  db.exec('begin immediate')
  try {
    const result = work()
    db.exec('commit')
    return result
  } catch (error) {
    if (db.isTransaction) db.exec('rollback')
    throw error
  }
}
