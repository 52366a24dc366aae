import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { backup, DatabaseSync } from 'node:sqlite'
import { assertOwnWal, readFileState } from '../files/open-mark.ts'
import { namesOfMigrations } from '../schema-changes.ts'
import { makePrivateFile, measureFile } from './backup-folder.ts'
import { type BackedUpFile, type BackedUpTable, BackupError, type Manifest, type RunMigrations } from './manifest.ts'

/** The files of a SQLite database in a backup, by what they have. */
export const SQLITE_FILES = { state: 'postern.db', audiences: 'postern.db.audiences', event_log: 'postern.db.events' } as const

type Part = keyof typeof SQLITE_FILES

/** The suffix of each file beside the state's. Its order is that of `SQLITE_FILES`. */
export const SUFFIXES: Record<Part, string> = { state: '', audiences: '.audiences', event_log: '.events' }

const BUSY_TIMEOUT_MS = 5000
/** Commits come at most as often as the disk syncs, and the snapshots take less. */
const MAX_TRIES = 10_000
/** Pages that are copied at once. */
const PAGES = 4096

const openToRead = (path: string) => new DatabaseSync(path, { readOnly: true, timeout: BUSY_TIMEOUT_MS })

/** The value of a query with one row and one column. */
export const scalarOf = (db: DatabaseSync, query: string): unknown => Object.values(db.prepare(query).get() ?? {})[0]

const TABLES = `select name from sqlite_schema where type = 'table' and name not like 'sqlite\\_%' escape '\\' order by name`

export const tablesOf = (db: DatabaseSync): string[] =>
  db
    .prepare(TABLES)
    .all()
    .map(({ name }) => name as string)

/** Throws if a file is missing, or was not closed and has lost its write-ahead log. Called before any is opened. */
function assertComplete(paths: Record<Part, string>) {
  for (const part of ['state', 'event_log'] as const) {
    const { isEmpty, hasLostWal } = readFileState(paths[part])
    if (isEmpty) throw new BackupError(`There is no database at ${paths.state}: ${paths[part]} is missing or empty.`)
    if (hasLostWal) throw new BackupError(`${paths[part]}-wal is missing or empty, and with it what was last committed: put it back first.`)
  }
  assertOwnWal(paths.state, paths.event_log)
}

/**
 * Begins to read all files as they are at one moment, and holds that until they are closed. Snapshots are taken one after the other, and
 * again if a file before the last was written meanwhile: so what they show is what a kill of the process at that moment would have left.
 */
function openAtOneMoment(paths: readonly string[]): DatabaseSync[] {
  const readers = paths.map(openToRead)
  const watchers = paths.map(openToRead)
  const versions = () => watchers.map((db) => scalarOf(db, 'pragma data_version')).join()
  try {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const before = versions()
      for (const db of readers) db.exec('begin; select count(*) from sqlite_schema')
      if (versions() === before) return readers
      for (const db of readers) db.exec('commit')
    }
    throw new BackupError('The database changes too quickly for a copy of one moment: try again when there is less traffic.')
  } catch (error) {
    for (const db of readers) db.close()
    throw error
  } finally {
    for (const db of watchers) db.close()
  }
}

/** A copy is one file without a write-ahead log, and not marked as open. */
function closeCopy(path: string) {
  using db = new DatabaseSync(path)
  const mark = Number(scalarOf(db, 'pragma application_id'))
  if (mark % 2 !== 0) db.exec(`pragma application_id = ${mark - 1}`)
  db.exec('pragma journal_mode = delete')
}

const countsOf = (db: DatabaseSync, file: string): BackedUpTable[] =>
  tablesOf(db).map((name) => ({ name, file, rows: Number(scalarOf(db, `select count(*) from "${name}"`)) }))

const migrationsOf = (db: DatabaseSync): string[] =>
  db
    .prepare(namesOfMigrations(tablesOf(db)))
    .all()
    .map(({ name }) => name as string)

function sequencesOf(db: DatabaseSync): Record<string, number> {
  if (scalarOf(db, `select count(*) from sqlite_schema where name = 'sqlite_sequence'`) === 0) return {}
  return Object.fromEntries(
    db
      .prepare('select name, seq from sqlite_sequence order by name')
      .all()
      .map(({ name, seq }) => [name, Number(seq)]),
  )
}

/** Throws if a file of a backup is damaged, or has not the rows that were counted in the original. */
export function verifySqliteFile(path: string, tables: readonly BackedUpTable[]): void {
  using db = openToRead(path)
  const found = scalarOf(db, 'pragma integrity_check')
  if (found !== 'ok') throw new BackupError(`${path} is damaged: ${found}`)
  for (const { name, rows } of tables) {
    const count = Number(scalarOf(db, `select count(*) from "${name}"`))
    if (count !== rows) throw new BackupError(`${path} is damaged: the table ${name} has ${count} rows, and had ${rows}.`)
  }
}

/** Copies the files of the database at `path`, which a server may have open, as they are at one moment. */
export async function backUpSqlite(
  path: string,
  folder: string,
  nowMs: () => number,
): Promise<Pick<Manifest, 'made_at' | 'database' | 'migrations' | 'tables' | 'sequences' | 'files'>> {
  const paths = Object.fromEntries(Object.entries(SUFFIXES).map(([part, suffix]) => [part, path + suffix])) as Record<Part, string>
  assertComplete(paths)
  const parts = (Object.keys(SUFFIXES) as Part[]).filter((part) => existsSync(paths[part]))
  const opened = openAtOneMoment(parts.map((part) => paths[part]))
  const made_at = new Date(nowMs()).toISOString()
  const migrations: RunMigrations = { state: [], event_log: [], audiences: [] }
  const tables: BackedUpTable[] = []
  const files: BackedUpFile[] = []
  let sequences: Record<string, number> = {}
  try {
    for (const [place, part] of parts.entries()) {
      const db = opened[place]!
      const name = SQLITE_FILES[part]
      const copy = join(folder, name)
      await makePrivateFile(copy)
      await backup(db, copy, { rate: PAGES })
      const counted = countsOf(db, name)
      tables.push(...counted)
      migrations[part] = migrationsOf(db)
      if (part === 'state') sequences = sequencesOf(db)
      closeCopy(copy)
      files.push({ path: name, ...(await measureFile(copy)) })
      verifySqliteFile(copy, counted)
    }
  } finally {
    for (const db of opened) db.close()
  }
  return { made_at, database: 'sqlite', migrations, tables, sequences, files }
}
