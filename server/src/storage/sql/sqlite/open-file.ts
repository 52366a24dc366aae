import { DatabaseSync } from 'node:sqlite'

/** How long a statement waits for another process that has the file, in milliseconds. */
const BUSY_TIMEOUT_MS = 5000

/** Opens a database file, or `:memory:`, so that a commit that returned survives the loss of power. */
export function openSqliteFile(path: string): DatabaseSync {
  const file = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS })
  try {
    file.exec('pragma journal_mode = WAL; pragma synchronous = FULL; pragma foreign_keys = ON; pragma wal_autocheckpoint = 4000')
    return file
  } catch (error) {
    file.close()
    throw error
  }
}
