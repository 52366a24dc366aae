import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { chmod, mkdir, open, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { Readable, type Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type BackedUpFile, BackupError, MANIFEST, type Manifest } from './manifest.ts'

const OWNER_ONLY = 0o600
const OWNER_ONLY_FOLDER = 0o700

/** Counts and hashes bytes that pass. */
function createMeter() {
  const hash = createHash('sha256')
  let bytes = 0
  return {
    async *pass(pieces: AsyncIterable<Uint8Array>) {
      for await (const piece of pieces) {
        hash.update(piece)
        bytes += piece.length
        yield piece
      }
    },
    result: () => ({ bytes, sha256: hash.digest('hex') }),
  }
}

/** Reads a file to its end. Returns its size and checksum. */
export async function measureFile(path: string): Promise<Omit<BackedUpFile, 'path'>> {
  const meter = createMeter()
  for await (const _ of meter.pass(createReadStream(path))) void _
  return meter.result()
}

/** Writes a new file, which only its owner can read. Returns its size and checksum. */
export async function writeNewFile(path: string, pieces: AsyncIterable<Uint8Array>): Promise<Omit<BackedUpFile, 'path'>> {
  await mkdir(dirname(path), { recursive: true, mode: OWNER_ONLY_FOLDER })
  const meter = createMeter()
  const file: Writable = createWriteStream(path, { flags: 'wx', mode: OWNER_ONLY })
  await pipeline(Readable.from(meter.pass(pieces), { objectMode: false }), file)
  return meter.result()
}

/** Makes an empty file that only its owner can read. */
export async function makePrivateFile(path: string): Promise<void> {
  const file = await open(path, 'wx', OWNER_ONLY)
  await file.close()
  await chmod(path, OWNER_ONLY)
}

/** What was written to a file, or what a rename or a new file changed in a folder, survives a power failure once that is synced. */
export async function sync(path: string): Promise<void> {
  const opened = await open(path, 'r')
  await opened.sync().finally(() => opened.close())
}

/** Syncs all files and folders in a folder, and then the folder. */
async function syncAll(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    await (entry.isDirectory() ? syncAll(path) : sync(path))
  }
  await sync(folder)
}

/** Writes the manifest of a backup, once everything else of it is there. */
export const writeManifest = (folder: string, manifest: Manifest): Promise<void> =>
  writeFile(join(folder, MANIFEST), `${JSON.stringify(manifest, null, 1)}\n`, { mode: OWNER_ONLY, flag: 'wx', flush: true })

async function assertFree(folder: string) {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw new BackupError(error.code === 'ENOTDIR' ? `${folder} is a file: name a new folder.` : error.message)
  })
  if (names.length > 0) throw new BackupError(`${folder} is not empty: name a new folder for the backup.`)
}

/**
 * Makes a backup all or nothing: it is written to `<folder>.partial`, which becomes `folder` once it is complete, on the disk and verified.
 * `write` fills the folder that it is given, and says what is in it.
 */
export async function makeBackup(
  folder: string,
  write: (partial: string) => Promise<Manifest>,
  verify: (partial: string) => Promise<unknown>,
): Promise<Manifest> {
  const target = resolve(folder)
  const partial = `${target}.partial`
  await assertFree(target)
  await mkdir(dirname(target), { recursive: true })
  await mkdir(partial, { mode: OWNER_ONLY_FOLDER }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
    throw new BackupError(
      `${partial} exists: another backup to this folder is being made, or one was interrupted. In the second case delete it, and try again.`,
    )
  })
  try {
    const manifest = await write(partial)
    await syncAll(partial)
    await writeManifest(partial, manifest)
    await sync(partial)
    await verify(partial)
    await rename(partial, target)
    await sync(dirname(target))
    return manifest
  } catch (error) {
    await rm(partial, { recursive: true, force: true })
    throw error
  }
}
