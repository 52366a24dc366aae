import { realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { measureFile } from './backup-folder.ts'
import { BackupError, logFolder, type Manifest, readManifest } from './manifest.ts'
import { countRows } from './row-file.ts'

async function verifyTables(folder: string, { database, tables }: Manifest) {
  if (database === 'sqlite') {
    const { verifySqliteFile } = await import('./back-up-sqlite.ts')
    const files = Map.groupBy(tables, ({ file }) => file)
    for (const [file, ofFile] of files) verifySqliteFile(join(folder, file), ofFile)
    return
  }
  for (const { name, file, rows } of tables) {
    const count = await countRows(join(folder, file))
    if (count !== rows) throw new BackupError(`${join(folder, file)} is damaged: the table ${name} has ${count} rows, and had ${rows}.`)
  }
}

/** Reads a backup to its end and compares it with its manifest: each file by size and checksum, each table by its rows, each log alike. */
export async function verifyBackup(folder: string): Promise<Manifest> {
  const manifest = await readManifest(folder)
  const root = await realpath(folder)
  for (const { path, bytes, sha256 } of manifest.files) {
    const file = join(folder, path)
    const real = await realpath(file).catch(() => undefined)
    if (real === undefined) throw new BackupError(`${file} is missing: use another backup.`)
    if (real !== join(root, path)) throw new BackupError(`${file} is a link, or in a folder that is one: put the file itself there.`)
    const found = await measureFile(file)
    if (found.bytes !== bytes)
      throw new BackupError(`${file} is damaged: it has ${found.bytes} bytes, and ${bytes} were written. Use another backup.`)
    if (found.sha256 !== sha256)
      throw new BackupError(`${file} is damaged: its SHA-256 is not that of what was written. Use another backup.`)
  }
  await verifyTables(folder, manifest)
  for (const { log } of manifest.logs ?? []) await verifyBackup(join(folder, logFolder(log)))
  return manifest
}
