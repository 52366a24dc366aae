import { chmodSync, closeSync, existsSync, openSync, realpathSync, statSync } from 'node:fs'
import type { StorageLog } from '../storage-log.ts'

/** What SQLite keeps beside a database. */
const BESIDE = ['-wal', '-shm', '-journal']

const OTHERS = 0o077
const OWNER_ONLY = 0o600

/** Takes the rights on a file from all but its owner. A file that is not ours, or whose rights cannot be changed, is only told of. */
function keepPrivate(file: string, log?: StorageLog) {
  const found = statSync(file, { throwIfNoEntry: false })
  if (!found || !process.getuid || (found.mode & OTHERS) === 0) return
  try {
    if (found.uid !== process.getuid()) throw new Error('it belongs to another user')
    chmodSync(file, found.mode & 0o700)
  } catch (error) {
    log?.warn({ err: error, file }, 'a database file is accessible to other users: chmod 600 it')
  }
}

/**
 * Answers the real name of a database file, whatever links lead to it. Makes it, empty, when there is none. It and what
 * SQLite keeps beside it are their owner's alone, whatever the umask: SQLite gives the others the mode of the first.
 */
export function ownFile(path: string, log?: StorageLog): string {
  const isNew = !existsSync(path)
  closeSync(openSync(path, 'a', OWNER_ONLY))
  const real = realpathSync(path)
  if (isNew) chmodSync(real, OWNER_ONLY)
  for (const file of [real, ...BESIDE.map((suffix) => real + suffix)]) keepPrivate(file, log)
  return real
}
