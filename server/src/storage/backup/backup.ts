import { join } from 'node:path'
import { logMigrations } from '../log/sqlite/schema.ts'
import { isInUse } from '../log-map.ts'
import type { MediaFiles } from '../media-files.ts'
import { HELD_SINCE } from '../metadata.ts'
import type { RecordType } from '../records.ts'
import { sqliteFlavour } from '../sql/flavour.ts'
import { memberMigrations } from '../sql/memberships/sqlite/schema.ts'
import { migrationNames } from '../sql/migrate-database.ts'
import { backUpMedia, restoreMedia } from './back-up-media.ts'
import { makeBackup } from './backup-folder.ts'
import { assertKnown, BackupError, logFolder, type Manifest, readManifest } from './manifest.ts'
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
  /** The databases of its event logs, where there are several; undefined to leave out what is not in the database itself. */
  logUrls?: readonly string[] | undefined
  /** A folder that does not exist, or is empty. */
  folder: string
  /** The store of media; undefined to leave them out. */
  media: MediaFiles | undefined
  version: string
  nowMs: () => number
}

/** Copies a database, its event logs and its media into a folder, and reads the copy back. Nothing has the folder's name before that. */
export const backUp = ({ url, logUrls, folder, media, version, nowMs }: BackupOptions): Promise<Manifest> =>
  makeBackup(
    folder,
    async (partial) => {
      const copied = isSqlite(url)
        ? await (await import('./back-up-sqlite.ts')).backUpSqlite(fileOf(url), partial, nowMs)
        : await (await import('./back-up-postgres.ts')).backUpPostgres({ url, logUrls, folder: partial, version })
      const files = [...copied.files, ...(media ? await backUpMedia(media, partial) : [])]
      return { format: 1, version, ...copied, media: media !== undefined, files }
    },
    verifyBackup,
  )

export interface RestoreOptions {
  folder: string
  /** `sqlite:<path>` or `postgres://…`, where nothing is yet. */
  url: string
  /** Where the event logs go that the backup has beside the database, by their numbers. */
  logUrls?: ReadonlyMap<number, string>
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

/** Throws unless each event log of the backup has a place, and no other. */
function assertPlaced({ logs = [] }: Manifest, logUrls: ReadonlyMap<number, string>) {
  const missing = logs.filter(({ log }) => !logUrls.has(log))
  if (missing.length > 0) {
    const named = missing.map(({ log, place }) => `event log ${log}, which was at ${place}`).join(', and ')
    throw new BackupError(
      `The backup has ${named}: say where it goes with ${missing.map(({ log }) => `--log-to ${log}=postgres://…`).join(' ')}.`,
    )
  }
  const unknown = [...logUrls.keys()].find((log) => !logs.some((one) => one.log === log))
  if (unknown === undefined) return
  const has = logs.length === 0 ? 'none' : logs.map(({ log }) => log).join(' and ')
  throw new BackupError(`The backup has no event log ${unknown} beside the database of --to; it has ${has}.`)
}

/** What one database is to have, of a backup of PostgreSQL. */
async function databaseOf(folder: string, manifest: Manifest, url: string) {
  const tables = await Promise.all(manifest.tables.filter(({ rows }) => rows > 0).map((table) => tableIn(folder, table)))
  return { url, migrations: manifest.migrations.state, sequences: manifest.sequences, expected: countedAlike(manifest), tables }
}

async function restoreToPostgres(
  { folder, url, logUrls, recordTypes }: RestoreOptions,
  manifest: Manifest,
  more: { metadata: Record<string, string>; fillMedia: () => Promise<void> },
) {
  const { restorePostgres } = await import('./restore-postgres.ts')
  if (manifest.database === 'postgres') {
    const databases = [await databaseOf(folder, manifest, url)]
    for (const { log } of manifest.logs ?? []) {
      const at = join(folder, logFolder(log))
      const own = await readManifest(at)
      assertKnown(own, knownMigrations())
      databases.push(await databaseOf(at, own, logUrls!.get(log)!))
    }
    return restorePostgres({ databases, recordTypes, ...more })
  }
  const { openSqliteRows } = await import('./sqlite-rows.ts')
  using rows = openSqliteRows(folder, manifest.migrations.audiences.length > 0)
  const { migrations, sequences } = manifest
  const database = { url, migrations: migrations.state, sequences, expected: countedAlike(manifest), tables: rows.tables }
  return await restorePostgres({ databases: [database], recordTypes, ...more })
}

const knownMigrations = () => ({ state: migrationNames(sqliteFlavour), event_log: [...logMigrations], audiences: [...memberMigrations] })

export interface Restored {
  manifest: Manifest
  /** Where the event logs are that have slots or events now, if there are several. */
  logPlaces: string[]
}

/**
 * Restores a backup into an empty database, and one for each of its event logs, after it was verified. A backup of SQLite can be restored to PostgreSQL, but not the other way.
 * The media come first, so that a database is only there with all of its files.
 */
export async function restore(options: RestoreOptions): Promise<Restored> {
  const { folder, url, logUrls = new Map(), media, asCopy, nowMs } = options
  const manifest = await verifyBackup(folder)
  assertKnown(manifest, knownMigrations())
  if (manifest.database === 'postgres' && isSqlite(url))
    throw new BackupError('A backup of PostgreSQL cannot be restored to SQLite: name a PostgreSQL database.')
  assertPlaced(manifest, logUrls)
  const fillMedia = async () => {
    if (media) await restoreMedia(folder, manifest, media)
  }
  const metadata: Record<string, string> = asCopy ? { [HELD_SINCE]: new Date(nowMs()).toISOString() } : {}
  if (isSqlite(url)) {
    const { restoreSqlite } = await import('./restore-sqlite.ts')
    await restoreSqlite(folder, manifest, { path: fileOf(url), metadata, fillMedia })
    return { manifest, logPlaces: [] }
  }
  const map = await restoreToPostgres(options, manifest, { metadata, fillMedia })
  return { manifest, logPlaces: map ? map.logs.filter(({ log }) => isInUse(map, log)).map(({ place }) => place) : [] }
}
