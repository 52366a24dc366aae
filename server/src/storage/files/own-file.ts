import { chmodSync, closeSync, existsSync, openSync, realpathSync, statSync } from 'node:fs'
import type { StorageLog } from '../storage-log.ts'

/** The suffixes of SQLite's files beside a database. */
const BESIDE = ['-wal', '-shm', '-journal']

const OTHERS = 0o077
const OWNER_ONLY = 0o600

/** Removes all permissions on a file except the owner's. If that is not possible, logs a warning. */
function keepPrivate(file: string, log?: StorageLog): void {
  const found = statSync(file, { throwIfNoEntry: false })
  if (!found || !process.getuid) return
  const isOwn = found.uid === process.getuid()
  if (isOwn && (found.mode & OTHERS) === 0) return
  try {
    if (!isOwn) throw new Error('it belongs to another user')
    chmodSync(file, found.mode & 0o700)
  } catch (error) {
    log?.warn({ err: error, file }, 'a database file is accessible to other users: chmod 600 it')
  }
}

/**
 * Returns the real path of a database file behind links. Creates an empty file if there is none. Only the owner can access it and SQLite's
 * files beside it, whatever the umask: SQLite gives those the mode of the database.
 */
export function ownFile(path: string, log?: StorageLog): string {
  const isNew = !existsSync(path)
  closeSync(openSync(path, 'a', OWNER_ONLY))
  const real = realpathSync(path)
  if (isNew) chmodSync(real, OWNER_ONLY)
  for (const file of [real, ...BESIDE.map((suffix) => real + suffix)]) keepPrivate(file, log)
  return real
}
