import { join } from 'node:path'
import { logMigrations } from '../log/sqlite/schema.ts'
import type { MediaFiles } from '../media-files.ts'
import { HELD_SINCE } from '../metadata.ts'
import type { RecordType } from '../records.ts'
import { sqliteFlavour } from '../sql/flavour.ts'
import { memberMigrations } from '../sql/memberships/sqlite/schema.ts'
import { migrationNames } from '../sql/migrate-database.ts'
import { backUpMedia, restoreMedia } from './back-up-media.ts'
import { makeBackup } from './backup-folder.ts'
import { assertKnown, BackupError, type Manifest } from './manifest.ts'
import { readRows, type TableRows } from './row-file.ts'
import { verifyBackup } from './verify.ts'

export { BackupError, type Manifest } from './manifest.ts'
export { verifyBackup } from './verify.ts'

const SQLITE = 'sqlite:'

const isSqlite = (url: string) => url.startsWith(SQLITE)

function fileOf(url: string): string {
  const path = url.slice(SQLITE.length)
  if (path === ':memory:') throw new BackupError('A database in memory has no backups: name a file, or a PostgreSQL database.')
  return path
}

export interface BackupOptions {
  /** `sqlite:<path>` or `postgres://…`. A server may be using it. */
  url: string
  /** A folder that does not exist, or is empty. */
  folder: string
  /** The store of media; undefined to leave them out. */
  media: MediaFiles | undefined
  version: string
  nowMs: () => number
}

/** Copies a database and its media into a folder, and reads the copy back. Nothing has the folder's name before that. */
export const backUp = ({ url, folder, media, version, nowMs }: BackupOptions): Promise<Manifest> =>
  makeBackup(
    folder,
    async (partial) => {
      const copied = isSqlite(url)
        ? await (await import('./back-up-sqlite.ts')).backUpSqlite(fileOf(url), partial, nowMs)
        : await (await import('./back-up-postgres.ts')).backUpPostgres(url, partial)
      const files = [...copied.files, ...(media ? await backUpMedia(media, partial) : [])]
      return { format: 1, version, ...copied, media: media !== undefined, files }
    },
    verifyBackup,
  )

export interface RestoreOptions {
  folder: string
  /** `sqlite:<path>` or `postgres://…`, where nothing is yet. */
  url: string
  /** Where the files of media go; undefined to leave them out. */
  media: MediaFiles | undefined
  recordTypes: readonly RecordType[]
  /** The copy sends nothing until it is released. */
  asCopy: boolean
  nowMs: () => number
}

/** The columns of a backed up table: those of its first row, because every row has all. */
async function tableIn(folder: string, { name, file }: Manifest['tables'][number]): Promise<TableRows> {
  const path = join(folder, file)
  for await (const [first] of readRows(path)) return { name, columns: Object.keys(JSON.parse(first!)), rows: readRows(path) }
  return { name, columns: [], rows: [] }
}

/** The tables of SQLite that PostgreSQL has under the same name. */
const countedAlike = ({ database, tables }: Manifest) =>
  new Map(
    tables
      .filter(
        ({ name, file }) =>
          database === 'postgres' || (file === 'postern.db' && !['migrations', 'schema_changes', 'stream_connections'].includes(name)),
      )
      .map(({ name, rows }) => [name, rows]),
  )

async function restoreToPostgres(
  { folder, url, recordTypes }: RestoreOptions,
  manifest: Manifest,
  more: { metadata: Record<string, string>; fillMedia: () => Promise<void> },
) {
  const { restorePostgres } = await import('./restore-postgres.ts')
  const about = {
    url,
    recordTypes,
    migrations: manifest.migrations.state,
    sequences: manifest.sequences,
    expected: countedAlike(manifest),
    ...more,
  }
  if (manifest.database === 'postgres') {
    const tables = await Promise.all(manifest.tables.filter(({ rows }) => rows > 0).map((table) => tableIn(folder, table)))
    return restorePostgres({ ...about, tables })
  }
  const { openSqliteRows } = await import('./sqlite-rows.ts')
  using rows = openSqliteRows(folder, manifest.migrations.audiences.length > 0)
  return await restorePostgres({ ...about, tables: rows.tables })
}

/**
 * Restores a backup into an empty database, after it was verified. A backup of SQLite can be restored to PostgreSQL, but not the other way.
 * The media come first, so that a database is only there with all of its files.
 */
export async function restore(options: RestoreOptions): Promise<Manifest> {
  const { folder, url, media, asCopy, nowMs } = options
  const manifest = await verifyBackup(folder)
  const state = migrationNames(sqliteFlavour)
  assertKnown(manifest, { state, event_log: [...logMigrations], audiences: [...memberMigrations] })
  if (manifest.database === 'postgres' && isSqlite(url))
    throw new BackupError('A backup of PostgreSQL cannot be restored to SQLite: name a PostgreSQL database.')
  const fillMedia = async () => {
    if (media) await restoreMedia(folder, manifest, media)
  }
  const metadata: Record<string, string> = asCopy ? { [HELD_SINCE]: new Date(nowMs()).toISOString() } : {}
  if (isSqlite(url)) {
    const { restoreSqlite } = await import('./restore-sqlite.ts')
    await restoreSqlite(folder, manifest, { path: fileOf(url), metadata, fillMedia })
  } else await restoreToPostgres(options, manifest, { metadata, fillMedia })
  return manifest
}
