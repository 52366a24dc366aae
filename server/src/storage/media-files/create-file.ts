import { randomBytes } from 'node:crypto'
import { mkdir, open, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { StorageFull } from '../media-files.ts'

/** Files that are being written; on the same file system, so that they can be renamed. */
export const TEMPORARY = '.writing'

/** The disk is full, a quota is used up, or a file is larger than the process may write. */
const FULL = new Set(['ENOSPC', 'EDQUOT', 'EFBIG'])

const codeOf = (error: unknown) => (error as NodeJS.ErrnoException).code

export const isMissing = (error: unknown): boolean => codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR'

/** A rename survives a power failure once its folder is synced. */
async function syncFolder(path: string) {
  const folder = await open(path, 'r')
  await folder.sync().finally(() => folder.close())
}

/** Makes a folder, and makes that durable. */
async function makeFolder(path: string): Promise<void> {
  const first = await mkdir(path, { recursive: true })
  if (first === undefined) return
  for (let made = path; made.length >= first.length; made = dirname(made)) await syncFolder(dirname(made))
}

/** Gives a file its name, durably. Its folder may be removed at the same moment, because it was empty. */
async function publish(temporary: string, path: string, tries = 5): Promise<void> {
  try {
    await makeFolder(dirname(path))
    await rename(temporary, path)
    await syncFolder(dirname(path))
  } catch (error) {
    if (!isMissing(error) || tries === 1) throw error
    await publish(temporary, path, tries - 1)
  }
}

/**
 * Makes a file by `make`, which is given a temporary name and answers its size, and then gives it its own name.
 * @throws StorageFull, and what `make` throws; nothing is left then.
 */
export async function createFile(root: string, path: string, make: (temporary: string) => Promise<number>): Promise<{ size: number }> {
  const temporary = join(root, TEMPORARY, randomBytes(16).toString('hex'))
  try {
    await makeFolder(dirname(temporary))
    const size = await make(temporary)
    await publish(temporary, path)
    return { size }
  } catch (error) {
    throw FULL.has(codeOf(error) ?? '') ? new StorageFull({ cause: error }) : error
  } finally {
    await rm(temporary, { force: true }).catch(() => {})
  }
}
