import { createClock } from '../lib/clock.ts'
import type { StorageLog } from './storage-log.ts'

/** A schema migration. Its name is recorded in the database. A released migration never changes. */
export interface Migration<Connection> {
  name: string
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

/** What a database says of its tables, as far as it was read before. */
export interface Recorded {
  migrations: readonly { name: string }[]
  /** The declaration with which the declared tables were made last. */
  declared: string | undefined
}

/** The operations that `migrate` needs of a database, independent of its driver. */
export interface MigratedDatabase<Connection> {
  connection: Connection
  /** An SQL expression for the current time as `2026-03-01T12:00:00.000Z`. */
  now: string
  query<Row>(connection: Connection, text: string): Promise<Row[]>
  /** Runs in one exclusive transaction: other processes wait. */
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

/** The error for a database that a newer version has used. */
export const newerDatabase = (reason: string): Error =>
  new Error(`The database is newer than this Postern: it has ${reason}. Start the version that last used it, or a newer one.`)

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

/** The migrations that the database lacks. Throws if it has one that this version does not know. */
function pendingOf<Connection>(migrations: readonly Migration<Connection>[], done: readonly { name: string }[]) {
  const names = new Set(done.map(({ name }) => name))
  const pending = migrations.filter(({ name }) => !names.delete(name))
  if (names.size === 0) return pending
  throw newerDatabase(`run the migration ${[...names].sort().join(', ')}, which this version does not know`)
}

/**
 * Migrates the tables of a database from any version since 0.2.0 to this one, all or nothing. Processes that start together wait for one
 * another. If the database is current, this takes two queries and no lock, or none if what it says was read before. Returns what was run.
 * @throws if a newer version has used the database, or a version before 0.2.0 made it. It is left unchanged then.
 */
export async function migrate<Connection>(
  { connection, now, query, transaction }: MigratedDatabase<Connection>,
  migrations: readonly Migration<Connection>[],
  declared?: DeclaredTables<Connection>,
  recorded?: Recorded,
): Promise<Migrated> {
  const clock = createClock()
  const done = (on: Connection) => query<{ name: string }>(on, 'select name from migrations')
  const record = (on: Connection, name: string) => query(on, `insert into migrations (name, "timestamp") values ('${name}', ${now})`)

  const isCurrent = async () => {
    const before = recorded?.migrations ?? (await done(connection).catch(() => []))
    if (isFormer(migrations, before) || pendingOf(migrations, before).length > 0) return false
    return (await declared?.areCurrent(connection, recorded)) !== false
  }

  if (await isCurrent()) return NOTHING
  const steps: Migrated['steps'] = []
  const step = async (name: string, run: () => Promise<unknown> | undefined) => {
    const beganMs = clock.monotonic()
    await run()
    steps.push({ name, durationMs: clock.monotonic() - beganMs })
  }
  let isNew = false
  await transaction(async (trx) => {
    await query(trx, CREATE_TABLE)
    if (isFormer(migrations, await done(trx))) {
      await query(trx, 'delete from migrations')
      await record(trx, migrations[0]!.name)
    }
    const before = await done(trx)
    isNew = before.length === 0
    const pending = pendingOf(migrations, before)
    for (const { name, up } of pending) {
      await step(name, () => up(trx))
      await record(trx, name)
    }
    if (declared) await step('declared tables', () => declared.make(trx, pending.length > 0))
  })
  return { isNew, steps }
}
