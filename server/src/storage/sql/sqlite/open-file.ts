import { DatabaseSync } from 'node:sqlite'

/** How long a statement waits for another process that has locked the file. */
const BUSY_TIMEOUT_MS = 5000

/** Opens a database file, or `:memory:`. A commit that returned survives a power failure. */
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
