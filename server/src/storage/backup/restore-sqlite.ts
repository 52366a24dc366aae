import { lstatSync, statSync } from 'node:fs'
import { copyFile, mkdir, open, rename, rm } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { SQLITE_FILES, SUFFIXES } from './back-up-sqlite.ts'
import { makePrivateFile, measureFile, sync } from './backup-folder.ts'
import { type BackedUpFile, BackupError, type Manifest } from './manifest.ts'

/** The state comes last: a start without it is refused while there is an event log. */
const ORDER = ['event_log', 'audiences', 'state'] as const

/** Whether a file is a copy of one of the backup. A link is none. */
async function isCopyOf(path: string, file: BackedUpFile | undefined): Promise<boolean> {
  const found = lstatSync(path)
  if (!file || !found.isFile() || found.size !== file.bytes) return false
  return (await measureFile(path)).sha256 === file.sha256
}

/**
 * Throws if there is any file of a database. What an interrupted restore of this backup left is none: event log or audiences without a
 * state, byte for byte as they are in the backup. Nothing is lost when they are replaced, whoever put them there.
 */
async function assertEmpty(path: string, { files }: Manifest) {
  const names = Object.values(SUFFIXES).flatMap((suffix) => [path + suffix, `${path}${suffix}-wal`])
  const found = names.filter((name) => (statSync(name, { throwIfNoEntry: false })?.size ?? 0) > 0)
  const inBackup = (name: string) => files.find((file) => file.path === SQLITE_FILES.state + name.slice(path.length))
  const isLeft = async () => (await Promise.all(found.map((name) => isCopyOf(name, inBackup(name))))).every(Boolean)
  if (!found.includes(path) && (await isLeft())) return
  throw new BackupError(
    `The database at ${path} is not empty: there is ${found.join(' and ')}. Restore to another file, or move these away.`,
  )
}

/** Removes an unfinished file, and the rollback journal of a killed process, which SQLite would apply to the next file of that name. */
async function removeUnfinished(path: string) {
  await rm(`${path}-journal`, { force: true })
  await rm(path, { force: true })
}

async function copyDurably(from: string, to: string) {
  await removeUnfinished(to)
  await makePrivateFile(to)
  await copyFile(from, to)
  const file = await open(to, 'r+')
  await file.sync().finally(() => file.close())
}

/** Puts the files of a backup where the database of a server is to be, each under its own name once all are on the disk. */
export async function restoreSqlite(
  folder: string,
  manifest: Manifest,
  { path: name, metadata, fillMedia }: { path: string; metadata: Readonly<Record<string, string>>; fillMedia: () => Promise<void> },
): Promise<void> {
  const path = resolve(name)
  await assertEmpty(path, manifest)
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const parts = ORDER.filter((part) => manifest.files.some((file) => file.path === SQLITE_FILES[part]))
  const temporary = (part: (typeof ORDER)[number]) => `${path}${SUFFIXES[part]}.restoring`
  try {
    for (const part of parts) await copyDurably(join(folder, SQLITE_FILES[part]), temporary(part))
    await fillMedia()
    using db = new DatabaseSync(temporary('state'))
    const put = db.prepare('insert or replace into metadata (name, value) values (?, ?)')
    for (const [key, value] of Object.entries(metadata)) put.run(key, value)
    db.close()
    for (const part of parts) await rename(temporary(part), path + SUFFIXES[part])
    await sync(dirname(path))
  } finally {
    for (const part of parts) await removeUnfinished(temporary(part))
  }
}
