import { randomBytes } from 'node:crypto'
import { type FileHandle, link, mkdir, open, readdir, rename, rm, rmdir, stat } from 'node:fs/promises'
import { dirname, join as joinPath, resolve, sep } from 'node:path'
import { createClock } from '../../lib/clock.ts'
import { HOUR_MS } from '../../lib/time.ts'
import { type MediaFiles, StorageFull, TooLarge } from '../media-files.ts'

/** Files that are being written; on the same file system, so that they can be renamed. */
const TEMPORARY = '.writing'

/** How long a write can take at most: what is older was cut off. */
const CUT_OFF_MS = HOUR_MS

/** `media/3_1/original`: no step is hidden, so none leads out of the folder. */
const KEY = /^[\w-][\w.-]*(\/[\w-][\w.-]*)*$/

/** The disk is full, a quota is used up, or a file is larger than the process may write. */
const FULL = new Set(['ENOSPC', 'EDQUOT', 'EFBIG'])

const codeOf = (error: unknown) => (error as NodeJS.ErrnoException).code

const isMissing = (error: unknown) => codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR'

function unlessMissing(error: unknown) {
  if (!isMissing(error)) throw error
}

/** A rename survives a power failure once its folder is synced. */
async function syncFolder(path: string) {
  const folder = await open(path, 'r')
  await folder.sync().finally(() => folder.close())
}

/** The parts one after another. */
async function* bytesOf(paths: readonly string[]): AsyncIterable<Uint8Array> {
  for (const path of paths) yield* (await open(path, 'r')).createReadStream({ highWaterMark: 1024 * 1024 })
}

/** Writes all of the bytes. The next ones are asked for once these are written, so memory holds one piece. */
async function fill(file: FileHandle, bytes: AsyncIterable<Uint8Array>, maxBytes: number): Promise<number> {
  let size = 0
  for await (const piece of bytes) {
    size += piece.length
    if (size > maxBytes) throw new TooLarge(maxBytes)
    for (let written = 0; written < piece.length; ) written += (await file.write(piece, written)).bytesWritten
  }
  await file.sync()
  return size
}

/** Media in a folder, which is made with the first write. Processes that share a database must share the folder too. */
export function createMediaFolder(folder: string): MediaFiles {
  const root = resolve(folder)
  const clock = createClock()
  const pathOf = (key: string) => {
    if (!KEY.test(key)) throw new Error(`not a key of a file: ${key}`)
    return joinPath(root, key)
  }

  /** Makes a folder, and makes that durable. */
  const makeFolder = async (path: string): Promise<void> => {
    const first = await mkdir(path, { recursive: true })
    if (first === undefined) return
    for (let made = path; made.length >= first.length; made = dirname(made)) await syncFolder(dirname(made))
  }

  /** A folder that is empty is removed, maybe just now. */
  const publish = async (temporary: string, path: string, tries = 5): Promise<void> => {
    try {
      await makeFolder(dirname(path))
      await rename(temporary, path)
      await syncFolder(dirname(path))
    } catch (error) {
      if (!isMissing(error) || tries === 1) throw error
      await publish(temporary, path, tries - 1)
    }
  }

  /** Makes a file by `make` under a temporary name, and gives it its own; leaves nothing when that fails. */
  const create = async (key: string, make: (temporary: string) => Promise<number>): Promise<{ size: number }> => {
    const path = pathOf(key)
    const temporary = joinPath(root, TEMPORARY, randomBytes(16).toString('hex'))
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

  const write: MediaFiles['write'] = (key, bytes, { maxBytes }) =>
    create(key, async (temporary) => {
      const file = await open(temporary, 'wx')
      return fill(file, bytes, maxBytes).finally(() => file.close())
    })

  const keysBelow = async (folder: string): Promise<string[]> => {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch((error) => {
      unlessMissing(error)
      return []
    })
    return entries
      .filter((entry) => entry.isFile())
      .map((entry) =>
        joinPath(entry.parentPath, entry.name)
          .slice(root.length + 1)
          .replaceAll(sep, '/'),
      )
  }

  return {
    write,
    async join(key, parts) {
      const paths = parts.map(pathOf)
      if (paths.length !== 1) return write(key, bytesOf(paths), { maxBytes: Number.POSITIVE_INFINITY })
      const { size } = await stat(paths[0]!)
      const linked = await create(key, async (temporary) => {
        await link(paths[0]!, temporary)
        return size
      }).catch((error) => {
        // Some file systems have no links.
        if (isMissing(error) || error instanceof StorageFull) throw error
      })
      return linked ?? write(key, bytesOf(paths), { maxBytes: Number.POSITIVE_INFINITY })
    },
    async read(key, range) {
      const file = await open(pathOf(key), 'r').catch(unlessMissing)
      if (!file) return undefined
      const { size } = await file.stat().catch((error) => file.close().then(() => Promise.reject(error)))
      return { size, stream: file.createReadStream({ ...range }) }
    },
    async remove(keys) {
      for (const path of keys.map(pathOf)) {
        await rm(path, { force: true })
        // Only an empty folder can be removed. Those that all media share stay.
        if (dirname(dirname(path)) !== root) await rmdir(dirname(path)).catch(() => {})
      }
    },
    async list(prefix) {
      const folder = prefix.slice(0, Math.max(0, prefix.lastIndexOf('/')))
      const keys = await keysBelow(joinPath(root, folder))
      return keys.filter((key) => key.startsWith(prefix) && !key.startsWith(`${TEMPORARY}/`))
    },
    async sweep() {
      const folder = joinPath(root, TEMPORARY)
      for (const name of await readdir(folder).catch(() => [])) {
        const written = await stat(joinPath(folder, name)).catch(unlessMissing)
        if (written && written.mtimeMs < clock.now() - CUT_OFF_MS) await rm(joinPath(folder, name), { force: true })
      }
    },
  }
}
