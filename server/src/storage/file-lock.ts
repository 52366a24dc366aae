import { DatabaseSync } from 'node:sqlite'

export interface FileLock {
  release(): void
}

/** SQLITE_BUSY: somebody else has the lock. */
const SQLITE_BUSY = 5

/**
 * Takes the database file at `path` for this process alone, until `release` or the end of the process, however it ends.
 * The lock is an exclusive transaction on the empty database `<path>.lock`: the operating system drops it with its holder.
 * Throws when another process, or another opener in this one, has it.
 */
export function lockFile(path: string): FileLock {
  const holder = new DatabaseSync(`${path}.lock`)
  try {
    holder.exec('begin exclusive')
  } catch (cause) {
    holder.close()
    if ((cause as { errcode?: number }).errcode !== SQLITE_BUSY) throw cause
    throw new Error(`${path} is in use by another process: stop it, or name another file in POSTERN_DATABASE_URL`, { cause })
  }
  return { release: () => holder.close() }
}
