import { once } from 'node:events'
import { statSync } from 'node:fs'
import { createServer } from 'node:net'
import { DatabaseSync } from 'node:sqlite'
import { ownFile } from './own-file.ts'

export interface FileLock {
  release(): void
}

/** SQLITE_BUSY: another process has the lock. */
const SQLITE_BUSY = 5

const inUse = (path: string, cause: unknown) =>
  new Error(`${path} is in use by another process: stop it, or name another file in POSTERN_DATABASE_URL`, { cause })

/** Locks through an exclusive transaction on the empty database `<path>.lock`. Deleting that file breaks this lock. */
function lockBeside(path: string): FileLock {
  const holder = new DatabaseSync(ownFile(`${path}.lock`))
  try {
    holder.exec('begin exclusive')
  } catch (cause) {
    holder.close()
    throw (cause as { errcode?: number }).errcode === SQLITE_BUSY ? inUse(path, cause) : cause
  }
  return { release: () => holder.close() }
}

/**
 * Locks the file by its device and inode, and so under any name, with a socket in Linux's abstract namespace: there is no file that could be
 * deleted. Network namespaces (containers) do not see each other's sockets. On other systems this locks nothing.
 */
export async function lockInode(path: string): Promise<FileLock> {
  if (process.platform !== 'linux') return { release() {} }
  const { dev, ino } = statSync(path, { bigint: true })
  const holder = createServer((stranger) => stranger.destroy()).unref()
  try {
    holder.listen(`\0postern-${dev}-${ino}`)
    await once(holder, 'listening')
    holder.on('error', () => {})
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'EADDRINUSE') throw inUse(path, cause)
    return { release() {} }
  }
  return { release: () => holder.close() }
}

/**
 * Locks the database file `name`, under all of its names, until `release` or the end of the process: the operating system releases both locks
 * with their holder. Throws if another process, or another caller in this one, has it.
 */
export async function lockFile(name: string): Promise<FileLock> {
  const path = ownFile(name)
  const beside = lockBeside(path)
  try {
    const inode = await lockInode(path)
    return {
      release() {
        inode.release()
        beside.release()
      },
    }
  } catch (error) {
    beside.release()
    throw error
  }
}
