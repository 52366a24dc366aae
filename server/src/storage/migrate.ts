import { createClock } from '../lib/clock.ts'
import { FORMER_RELEASE, RELEASES } from '../lib/version.ts'
import {
  assertUnused,
  CREATE_SCHEMA_CHANGES,
  judgeChanges,
  type MigrationKind,
  type PeerRelease,
  type SchemaChange,
  SELECT_SCHEMA_CHANGES,
  SEVERAL_LOGS,
  THIS_RELEASE,
} from './schema-changes.ts'
import type { StorageLog } from './storage-log.ts'

/** A schema migration. Its name is recorded in the database. A released migration never changes. */
export interface Migration<Connection> {
  name: string
  /** The release that brings it. */
  version: string
  /**
   * `expand`: it adds tables, indexes, and columns that may be null or have a default, so that processes of the former release can go on.
   * `contract`: it takes something away.
   */
  kind: MigrationKind
  /** Of one that contracts: the first release that does not use what it removes, which is older than the one that brings it. */
  unusedSince?: string
  /** Of a baseline: the last of the former migrations in whose place it stands. A database that has run that one has these tables. */
  replaces?: string
  up(connection: Connection): Promise<unknown>
}

/** Tables that are computed from declarations and need no migrations. */
export interface DeclaredTables<Connection> {
  /** Whether the database has the tables as declared. */
  areCurrent(connection: Connection, recorded: Recorded | undefined): Promise<boolean>
  /**
   * Creates or changes the tables as declared. `isNewer`: this version is known to be newer than the one that used the database last.
   * @throws `newerDatabase` if a newer version has made them.
   */
  make(connection: Connection, isNewer: boolean): Promise<void>
}

/** What a database says of the migrations that it has run. */
export interface Ran {
  migrations: readonly { name: string }[]
  changes: readonly SchemaChange[]
}

/** What a database says of its tables, as far as it was read before. */
export interface Recorded extends Ran {
  /** The declaration with which the declared tables were made last. */
  declared: string | undefined
}

/** The operations that `migrate` needs of a database, independent of its driver. */
export interface MigratedDatabase<Connection> {
  connection: Connection
  /** An SQL expression for the current time as `2026-03-01T12:00:00.000Z`. */
  now: string
  query<Row>(connection: Connection, text: string): Promise<Row[]>
  /** Runs in one exclusive transaction: other processes wait. It is run again where others were in the way. */
  transaction(run: (connection: Connection) => Promise<void>): Promise<void>
}

/** What a migration did, step by step. */
export interface Migrated {
  /** The database had no tables before. */
  isNew: boolean
  steps: { name: string; durationMs: number }[]
}

const NOTHING: Migrated = { isNew: false, steps: [] }

/** Logs what was done to a `database` or `event log`: each step, or that it is new and where, because its path may be mistyped. */
export function logMigrated(log: StorageLog | undefined, { what, place }: { what: string; place: string }, { isNew, steps }: Migrated) {
  const shown = (ms: number) => Math.round(ms * 10) / 10
  const totalMs = steps.reduce((sum, { durationMs }) => sum + durationMs, 0)
  if (isNew) log?.info({ migrations: steps.length, duration_ms: shown(totalMs) }, `created a new ${what} at ${place}`)
  else for (const { name, durationMs } of steps) log?.info({ migration: name, duration_ms: shown(durationMs) }, `${what} migrated`)
}

const CREATE_TABLE = 'create table if not exists migrations (name varchar(255) not null primary key, "timestamp" varchar(255) not null)'

/** The last commit that migrates databases of versions before 0.2.0. */
const LAST_TO_MIGRATE = 'a5647da369b8'

const olderDatabase = () =>
  new Error(
    `The database was made by a version before 0.2.0, which this Postern cannot migrate. Start commit ${LAST_TO_MIGRATE} on it once, which can, and then this version.`,
  )

/** Whether the database has the tables of the baseline from former migrations. Throws if it has not run them all. */
function isFormer<Connection>([first]: readonly Migration<Connection>[], done: readonly { name: string }[]): boolean {
  if (done.length === 0 || !first?.replaces || done.some(({ name }) => name === first.name)) return false
  if (done.some(({ name }) => name === first.replaces)) return true
  throw olderDatabase()
}

/** Whether a migration is recorded in the table that version 0.2.0 reads: it then refuses a database that has one which it does not know. */
const isOfOldTable = ({ version, kind }: Migration<never>) => version === RELEASES[0] || kind === 'contract'

interface Outstanding<Connection> {
  pending: readonly Migration<Connection>[]
  /** Migrations that commits before 0.3.0 recorded where version 0.2.0 would refuse them. */
  misplaced: readonly Migration<Connection>[]
  /** The next release has used the database, and its declared tables are newer. */
  isNewer: boolean
  isNew: boolean
  /** This release has not used it. */
  isUnused: boolean
}

/** What a database lacks. Throws if this release cannot use it. */
function outstanding<Connection>(migrations: readonly Migration<Connection>[], { migrations: old, changes }: Ran): Outstanding<Connection> {
  const inOld = new Set(old.map(({ name }) => name))
  inOld.delete(SEVERAL_LOGS)
  const done = new Set([...inOld, ...changes.flatMap(({ name, kind }) => (kind === 'release' ? [] : [name]))])
  const own = new Set(migrations.map(({ name }) => name))
  return {
    isNew: done.size === 0,
    isNewer: judgeChanges(
      changes,
      [...done].filter((name) => !own.has(name)),
    ),
    pending: migrations.filter(({ name }) => !done.has(name)),
    misplaced: migrations.filter((migration) => inOld.has(migration.name) && !isOfOldTable(migration)),
    isUnused: !changes.some(({ name }) => name === THIS_RELEASE.name),
  }
}

const quoted = (text: string | null | undefined) => (text == null ? 'null' : `'${text}'`)

/** The statements that record a migration, or that a release uses the database. */
const recordTexts = (now: string, { name, kind, version, former_version, unused_since }: SchemaChange): string =>
  `insert into schema_changes (name, kind, version, former_version, unused_since, "timestamp")
    values (${[name, kind, version, former_version, unused_since].map(quoted).join()}, ${now})`

const changeOf = ({ name, kind, version, unusedSince }: Migration<never>): SchemaChange => ({
  name,
  kind,
  version,
  former_version: RELEASES[RELEASES.indexOf(version) - 1] ?? FORMER_RELEASE,
  unused_since: unusedSince ?? null,
})

/** What is given to a migration besides the database. */
export interface MigrateOptions<Connection> {
  declared?: DeclaredTables<Connection> | undefined
  recorded?: Recorded | undefined
  /** The other processes that use the database. */
  peers?: readonly PeerRelease[]
}

/**
 * Migrates the tables of a database from any version since 0.2.0 to this one, all or nothing. Processes that start together wait for one
 * another. If the database is current, this takes three queries and no lock, or none if what it says was read before. Returns what was run.
 *
 * A database that the next release has used is left as it is, unless that one has removed what this one uses.
 * @throws if a release that is more than one ahead has used the database, or a version before 0.2.0 made it, or a process that lives uses
 * what a migration removes. It is left unchanged then.
 */
export async function migrate<Connection>(
  { connection, now, query, transaction }: MigratedDatabase<Connection>,
  migrations: readonly Migration<Connection>[],
  { declared, recorded, peers = [] }: MigrateOptions<Connection> = {},
): Promise<Migrated> {
  const clock = createClock()
  const done = (on: Connection) => query<{ name: string }>(on, 'select name from migrations')
  const changes = (on: Connection) => query<SchemaChange>(on, SELECT_SCHEMA_CHANGES)
  const recordOld = (on: Connection, name: string) => query(on, `insert into migrations (name, "timestamp") values ('${name}', ${now})`)
  const recordChange = (on: Connection, change: SchemaChange) => query(on, recordTexts(now, change))

  const isCurrent = async () => {
    const before = recorded ?? { migrations: await done(connection).catch(() => []), changes: await changes(connection).catch(() => []) }
    if (isFormer(migrations, before.migrations)) return false
    const { pending, misplaced, isUnused, isNewer } = outstanding(migrations, before)
    if (pending.length + misplaced.length > 0 || isUnused) return false
    return isNewer || (await declared?.areCurrent(connection, recorded)) !== false
  }

  if (await isCurrent()) return NOTHING
  const steps: Migrated['steps'] = []
  const step = async (name: string, run: () => Promise<unknown> | undefined) => {
    const beganMs = clock.monotonic()
    await run()
    steps.push({ name, durationMs: clock.monotonic() - beganMs })
  }
  let hadNothing = false
  const run = async (trx: Connection, migration: Migration<Connection>) => {
    const { name, unusedSince } = migration
    if (unusedSince !== undefined) assertUnused(name, unusedSince, peers)
    await step(name, () => migration.up(trx))
    if (isOfOldTable(migration)) await recordOld(trx, name)
    if (migration.version !== RELEASES[0]) await recordChange(trx, changeOf(migration))
  }
  await transaction(async (trx) => {
    steps.length = 0
    await query(trx, CREATE_TABLE)
    await query(trx, CREATE_SCHEMA_CHANGES)
    if (isFormer(migrations, await done(trx))) {
      await query(trx, 'delete from migrations')
      await recordOld(trx, migrations[0]!.name)
    }
    const { pending, misplaced, isNew, isNewer, isUnused } = outstanding(migrations, {
      migrations: await done(trx),
      changes: await changes(trx),
    })
    hadNothing = isNew
    for (const migration of misplaced) {
      await query(trx, `delete from migrations where name = '${migration.name}'`)
      await recordChange(trx, changeOf(migration))
    }
    for (const migration of pending) await run(trx, migration)
    if (isUnused) await recordChange(trx, THIS_RELEASE)
    if (declared && !isNewer) await step('declared tables', () => declared.make(trx, pending.length > 0))
  })
  return { isNew: hadNothing, steps }
}
