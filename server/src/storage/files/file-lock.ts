import { once } from 'node:events'
import { statSync } from 'node:fs'
import { createServer } from 'node:net'
import { DatabaseSync } from 'node:sqlite'
import { ownFile } from './own-file.ts'

export interface FileLock {
  release(): void
}

/** SQLITE_BUSY: somebody else has the lock. */
const SQLITE_BUSY = 5

const inUse = (path: string, cause: unknown) =>
  new Error(`${path} is in use by another process: stop it, or name another file in POSTERN_DATABASE_URL`, { cause })

/** An exclusive transaction on the empty database `<path>.lock`. Whoever deletes that file makes room for another. */
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
 * Takes the file itself, by its device and inode and so by whatever name: a socket in Linux's abstract namespace, which has no file that
 * could be deleted. Network namespaces (containers) do not see each other's. Where there is no such socket it locks nothing.
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
 * Takes the database file `name`, by whichever of its names, for this process alone, until `release` or the end of the process, however it ends:
 * the operating system drops both locks with their holder. Throws when another process, or another opener in this one, has it.
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
