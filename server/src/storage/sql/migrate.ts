import { type Kysely, sql } from 'kysely'
import { type Migration, Migrator } from 'kysely/migration'
import type { Flavour } from './flavour.ts'
import { createState } from './migrations/001-state.ts'
import { addSecretVersions } from './migrations/002-secret-versions.ts'
import { orderOfChallenges } from './migrations/003-order-of-challenges.ts'
import { addSignIn } from './migrations/004-sign-in.ts'
import { addAccounts } from './migrations/005-accounts.ts'
import { addMemberPermissions } from './migrations/006-member-permissions.ts'
import { addWorkerLeases } from './migrations/007-worker-leases.ts'
import type { Database } from './schema.ts'

const MIGRATION_TABLE = 'migrations'
const LOCK_TABLE = 'migrations_lock'

/** Every migration, by name. Names sort in the order in which they run; one that was released never changes. */
const migrations = (flavour: Flavour): Record<string, Migration> => ({
  '001-state': createState(flavour),
  '002-secret-versions': addSecretVersions,
  '003-order-of-challenges': orderOfChallenges,
  '004-sign-in': addSignIn(flavour),
  '005-accounts': addAccounts(flavour),
  '006-member-permissions': addMemberPermissions(flavour),
  '007-worker-leases': addWorkerLeases(flavour),
})

const hasRun = async (db: Kysely<Database>) =>
  (await sql<{ name: string }>`select name from ${sql.table(MIGRATION_TABLE)} order by name`.execute(db)).rows.map((row) => row.name)

/** The schema in which tables are made. SQLite has but one. */
async function schemaOf(db: Kysely<Database>, flavour: Flavour) {
  if (flavour.name === 'sqlite') return undefined
  const { rows } = await sql<{ name: string | null }>`select current_schema() as name`.execute(db)
  return rows[0]?.name ?? undefined
}

/**
 * Brings the database to the newest schema, all or nothing. Processes that start together wait for one another.
 * @throws when the database was migrated by a newer version: it is left as it is.
 */
export async function migrate(db: Kysely<Database>, flavour: Flavour): Promise<void> {
  const known = migrations(flavour)
  const before = await hasRun(db).catch(() => [])
  if (before.join() === Object.keys(known).join()) return
  const migrator = new Migrator({
    db,
    provider: { getMigrations: async () => known },
    migrationTableName: MIGRATION_TABLE,
    migrationLockTableName: LOCK_TABLE,
    migrationTableSchema: await schemaOf(db, flavour),
  })
  const { error } = await migrator.migrateToLatest()
  if (!error) return
  const unknown = (await hasRun(db).catch(() => [])).filter((name) => !(name in known))
  if (unknown.length === 0) throw error
  throw new Error(
    `The database is newer than this Postern: it has run the migration ${unknown.join(', ')}, which this version does not know. Start the version that last used it, or a newer one.`,
    { cause: error },
  )
}
