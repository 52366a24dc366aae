import { randomBytes } from 'node:crypto'
import { type FileHandle, link, mkdir, open, readdir, rename, rm, rmdir, stat } from 'node:fs/promises'
import { dirname, join, join as joinPath, resolve, sep } from 'node:path'
import { createClock } from '../../lib/clock.ts'
import { HOUR_MS } from '../../lib/time.ts'
import { type MediaFiles, MissingPart, StorageFull, TooLarge } from '../media-files.ts'

/** Files that are being written; on the same file system, so that they can be renamed. */
const TEMPORARY = '.writing'

/** The disk is full, a quota is used up, or a file is larger than the process may write. */
const FULL = new Set(['ENOSPC', 'EDQUOT', 'EFBIG'])

const codeOf = (error: unknown) => (error as NodeJS.ErrnoException).code

const isMissing = (error: unknown): boolean => codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR'

/** A rename survives a power failure once its folder is synced. */
async function syncFolder(path: string) {
  const folder = await open(path, 'r')
  await folder.sync().finally(() => folder.close())
}

/** Makes a folder, and makes that durable. */
async function makeFolder(path: string, mode?: number): Promise<void> {
  const first = await mkdir(path, { recursive: true, mode })
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

/** The folder of a store, and the mode that it is made with. */
interface Root {
  root: string
  mode: number | undefined
}

/**
 * Makes a file by `make`, which is given a temporary name and answers its size, and then gives it its own name.
 * @throws StorageFull, and what `make` throws; nothing is left then.
 */
async function createFile({ root, mode }: Root, path: string, make: (temporary: string) => Promise<number>): Promise<{ size: number }> {
  const temporary = join(root, TEMPORARY, randomBytes(16).toString('hex'))
  try {
    await makeFolder(dirname(temporary), mode)
    const size = await make(temporary)
    await publish(temporary, path)
    return { size }
  } catch (error) {
    throw FULL.has(codeOf(error) ?? '') ? new StorageFull({ cause: error }) : error
  } finally {
    await rm(temporary, { force: true }).catch(() => {})
  }
}

/** How long a write can take at most: what is older was cut off. */
const CUT_OFF_MS = HOUR_MS

/** `media/3_1/original`: no step is hidden, so none leads out of the folder. */
const KEY = /^[\w-][\w.-]*(\/[\w-][\w.-]*)*$/

function unlessMissing(error: unknown) {
  if (!isMissing(error)) throw error
}

/** How much of a part is copied at a time. */
const COPIED_BYTES = 1024 * 1024

async function writeAll(file: FileHandle, piece: Uint8Array) {
  for (let written = 0; written < piece.length; ) written += (await file.write(piece, written)).bytesWritten
}

/** Throws `MissingPart` for a file that is not there. */
async function openPart(path: string): Promise<FileHandle> {
  return open(path, 'r').catch((error) => {
    throw isMissing(error) ? new MissingPart({ cause: error }) : error
  })
}

/** Appends the parts one after another, through one buffer. */
async function copyParts(file: FileHandle, paths: readonly string[], signal?: AbortSignal): Promise<number> {
  const buffer = Buffer.allocUnsafeSlow(COPIED_BYTES)
  let size = 0
  for (const path of paths) {
    await using part = await openPart(path)
    for (let read = await part.read(buffer); read.bytesRead > 0; read = await part.read(buffer)) {
      signal?.throwIfAborted()
      await writeAll(file, buffer.subarray(0, read.bytesRead))
      size += read.bytesRead
    }
  }
  await file.sync()
  return size
}

/** Writes all of the bytes. The next ones are asked for once these are written, so memory holds one piece. */
async function fill(file: FileHandle, bytes: AsyncIterable<Uint8Array>, maxBytes: number): Promise<number> {
  let size = 0
  for await (const piece of bytes) {
    size += piece.length
    if (size > maxBytes) throw new TooLarge(maxBytes)
    await writeAll(file, piece)
  }
  await file.sync()
  return size
}

/** The files in a folder and those below it, by their keys. What others left there has no key, mostly. */
async function keysBelow(root: string, folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch((error) => {
    unlessMissing(error)
    return []
  })
  const keyOf = (path: string) => path.slice(root.length + 1).replaceAll(sep, '/')
  const files = entries.filter((entry) => entry.isFile()).map((entry) => keyOf(joinPath(entry.parentPath, entry.name)))
  return files.filter((name) => KEY.test(name))
}

/** Removes what is older than a write can be. */
async function sweepTemporary(folder: string, olderThanMs: number) {
  for (const name of await readdir(folder).catch(() => [])) {
    const written = await stat(joinPath(folder, name)).catch(unlessMissing)
    if (written && written.mtimeMs < olderThanMs) await rm(joinPath(folder, name), { force: true })
  }
}

/**
 * Media in a folder, which is made with the first write. Processes that share a database must share the folder too. A signal ends what takes
 * long: joining.
 */
export function createMediaFolder(folder: string, mode?: number, signal?: AbortSignal): MediaFiles {
  const root = resolve(folder)
  const clock = createClock()
  const pathOf = (key: string) => {
    if (!KEY.test(key)) throw new Error(`not a key of a file: ${key}`)
    return joinPath(root, key)
  }

  const make = (key: string, fillFile: (file: FileHandle) => Promise<number>) =>
    createFile({ root, mode }, pathOf(key), async (temporary) => {
      await using file = await open(temporary, 'wx')
      return await fillFile(file)
    })

  /** Gives a file another name; undefined where the file system has no links. */
  const linkTo = (key: string, path: string) =>
    createFile({ root, mode }, pathOf(key), async (temporary) => {
      await link(path, temporary)
      return (await stat(path)).size
    }).catch((error) => {
      if (isMissing(error) || error instanceof StorageFull) throw error
    })

  return {
    write: (key, bytes, { maxBytes }) => make(key, (file) => fill(file, bytes, maxBytes)),
    async join(key, parts) {
      signal?.throwIfAborted()
      const paths = parts.map(pathOf)
      const linked = paths.length === 1 ? await linkTo(key, paths[0]!) : undefined
      return linked ?? make(key, (file) => copyParts(file, paths, signal))
    },
    async read(key, range) {
      const file = await open(pathOf(key), 'r').catch(unlessMissing)
      if (!file) return undefined
      const { size } = await file.stat().catch((error) => file.close().then(() => Promise.reject(error)))
      return { size, stream: file.createReadStream({ ...range }) }
    },
    size: async (key) => (await stat(pathOf(key)).catch(unlessMissing))?.size,
    async remove(keys) {
      for (const path of keys.map(pathOf)) {
        await rm(path, { force: true })
        // Only an empty folder can be removed. Those that all media share stay.
        const folder = dirname(path)
        if (folder !== root && dirname(folder) !== root) await rmdir(folder).catch(() => {})
      }
    },
    async list(prefix) {
      const folder = prefix.slice(0, Math.max(0, prefix.lastIndexOf('/')))
      const keys = await keysBelow(root, joinPath(root, folder))
      return keys.filter((key) => key.startsWith(prefix))
    },
    sweep: () => sweepTemporary(joinPath(root, TEMPORARY), clock.now() - CUT_OFF_MS),
    until: (until) => createMediaFolder(folder, mode, until),
  }
}
