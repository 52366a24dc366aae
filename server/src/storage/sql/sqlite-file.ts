import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** How long a statement waits for another process that has the file, in milliseconds. */
const BUSY_TIMEOUT_MS = 5000

/** Opens a database file, or `:memory:`, so that a commit that returned survives the loss of power. Makes the folder, for its owner alone. */
export function openSqliteFile(path: string): DatabaseSync {
  try {
    if (path !== ':memory:') mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    const file = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS })
    file.exec('pragma journal_mode = WAL; pragma synchronous = FULL; pragma foreign_keys = ON; pragma wal_autocheckpoint = 4000')
    return file
  } catch (cause) {
    throw new Error(`The SQLite database ${path} cannot be opened: ${(cause as Error).message}. Check POSTERN_DATABASE_URL.`, { cause })
  }
}
