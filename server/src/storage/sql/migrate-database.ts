import { type Kysely, sql } from 'kysely'
import { type Migrated, type MigratedDatabase, type MigrateOptions, type Migration, migrate } from '../migrate.ts'
import type { RecordType } from '../records.ts'
import { holdAdvisoryLock } from './advisory-lock.ts'
import type { Flavour } from './flavour.ts'
import { createBaseline } from './migrations/001-baseline.ts'
import { addNonces } from './migrations/002-nonces.ts'
import { addFormerTokens } from './migrations/003-former-tokens.ts'
import { addPortalGeneration } from './migrations/004-portal-generation.ts'
import { addAttemptTiming } from './migrations/005-attempt-timing.ts'
import { addAuditTargets } from './migrations/006-audit-targets.ts'
import { addChallengeHistory } from './migrations/007-challenge-history.ts'
import { addRareStates } from './migrations/008-rare-states.ts'
import { addHourParts } from './migrations/009-hour-parts.ts'
import { addAppLoads } from './migrations/010-app-loads.ts'
import { keepRotationTimes } from './migrations/011-rotation-times.ts'
import { addTraceparent } from './migrations/012-traceparent.ts'
import { addResendJobs } from './migrations/013-resend-jobs.ts'
import { addParkedMessages } from './migrations/014-parked-messages.ts'
import { addNonceRequests } from './migrations/015-nonce-requests.ts'
import { addRetriesOfWebhooks } from './migrations/016-retries-of-webhooks.ts'
import { addCatalogRemovals } from './migrations/017-catalog-removals.ts'
import { declaredTables } from './records/make-tables.ts'
import type { Database } from './schema.ts'

/** All migrations of the database, in order; 0.2 is the baseline. The event log of SQLite is a file with its own migrations. */
export const migrations = (flavour: Flavour): Migration<Kysely<Database>>[] => [
  { name: '001-baseline', version: '0.2', kind: 'expand', up: createBaseline(flavour), replaces: '030-drop-keyword-lists' },
  { name: '002-nonces', version: '0.3', kind: 'expand', up: addNonces(flavour) },
  { name: '003-former-tokens', version: '0.3', kind: 'expand', up: addFormerTokens(flavour) },
  { name: '004-portal-generation', version: '0.3', kind: 'expand', up: addPortalGeneration },
  { name: '005-attempt-timing', version: '0.3', kind: 'expand', up: addAttemptTiming(flavour) },
  { name: '006-audit-targets', version: '0.3', kind: 'expand', up: addAuditTargets },
  { name: '007-challenge-history', version: '0.3', kind: 'expand', up: addChallengeHistory(flavour) },
  { name: '008-rare-states', version: '0.3', kind: 'expand', up: addRareStates(flavour) },
  { name: '009-hour-parts', version: '0.3', kind: 'expand', up: addHourParts(flavour) },
  { name: '010-app-loads', version: '0.3', kind: 'expand', up: addAppLoads(flavour) },
  { name: '011-rotation-times', version: '0.3', kind: 'expand', up: keepRotationTimes(flavour) },
  { name: '012-traceparent', version: '0.3', kind: 'expand', up: addTraceparent(flavour) },
  { name: '013-resend-jobs', version: '0.3', kind: 'expand', up: addResendJobs(flavour) },
  { name: '014-parked-messages', version: '0.3', kind: 'expand', up: addParkedMessages(flavour) },
  { name: '015-nonce-requests', version: '0.3', kind: 'expand', up: addNonceRequests },
  { name: '016-retries-of-webhooks', version: '0.3', kind: 'expand', up: addRetriesOfWebhooks(flavour) },
  { name: '017-catalog-removals', version: '0.3', kind: 'expand', up: addCatalogRemovals },
]

const now = {
  sqlite: `strftime('%Y-%m-%dT%H:%M:%fZ')`,
  postgres: `to_char(clock_timestamp() at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`,
}

/**
 * How long a migration waits for a table that other processes use. Whatever asks for the table later waits behind it, and PostgreSQL would
 * end one of them after a second if each has what the other wants. So a migration gives way, and begins again.
 */
const PATIENCE_MS = 200
/** `lock_not_available` and `deadlock_detected`. */
const IN_THE_WAY: readonly string[] = ['55P03', '40P01']
/** About two minutes. */
const MOST_TRIES = 300

const BLOCKED =
  'The tables cannot be migrated, because other sessions have used them for two minutes. A backup or a dump does until it ends, as any open transaction does: pg_stat_activity lists them. End them, or wait, and start again.'

const migrated = (db: Kysely<Database>, flavour: Flavour, mostTries = MOST_TRIES): MigratedDatabase<Kysely<Database>> => ({
  connection: db,
  now: now[flavour.name],
  query: async <Row>(connection: Kysely<Database>, text: string) => (await sql.raw<Row>(text).execute(connection)).rows,
  async transaction(run) {
    const once = () =>
      db.transaction().execute(async (trx) => {
        await holdAdvisoryLock(trx, flavour, 'schema')
        if (flavour.locksRows) await sql`set local lock_timeout = ${sql.lit(PATIENCE_MS)}`.execute(trx)
        await run(trx)
      })
    for (let tries = 1; ; tries += 1) {
      try {
        return await once()
      } catch (error) {
        if (!IN_THE_WAY.includes((error as { code?: string }).code ?? '')) throw error
        if (tries === mostTries) throw new Error(BLOCKED, { cause: error })
        await sql`select pg_sleep(0.1 + random() * 0.2)`.execute(db)
      }
    }
  },
})

interface Options extends Omit<MigrateOptions<Kysely<Database>>, 'declared'> {
  recordTypes?: readonly RecordType[]
  /** How often it begins again where other sessions use the tables. */
  mostTries?: number
}

/**
 * Migrates the tables of the state, the declared tables and, on PostgreSQL, those of the event log to this version, all or nothing.
 * Without `recordTypes` the declared tables are not touched. What the database says of its tables may have been read before.
 * @throws if a version that is more than one release ahead has used the database, a declared table cannot be made, or other sessions use the
 * tables for two minutes. The database is unchanged then.
 */
export const migrateDatabase = (
  db: Kysely<Database>,
  flavour: Flavour,
  { recordTypes, mostTries, ...options }: Options = {},
): Promise<Migrated> =>
  migrate(migrated(db, flavour, mostTries), migrations(flavour), {
    ...options,
    declared: recordTypes && declaredTables(flavour, recordTypes),
  })

/** The names of all migrations of the database, in order. */
export const migrationNames = (flavour: Flavour): string[] => migrations(flavour).map(({ name }) => name)

/** Runs those of the migrations that are named, and makes the declared tables, in a transaction that has begun, on an empty database. */
export const migrateOnce = (
  db: Kysely<Database>,
  flavour: Flavour,
  named: readonly string[],
  recordTypes: readonly RecordType[],
): Promise<Migrated> =>
  migrate(
    { ...migrated(db, flavour), transaction: (run) => run(db) },
    migrations(flavour).filter(({ name }) => named.includes(name)),
    { declared: declaredTables(flavour, recordTypes), recorded: { migrations: [], changes: [], declared: undefined } },
  )
