import { sql, type Transaction } from 'kysely'
import type { Flavour } from './flavour.ts'
import type { Database } from './schema.ts'

/** The keys of the advisory locks, each for something that processes of one database must not do concurrently. */
const keys = {
  /** Migrations. It is Kysely's key, because earlier versions migrated with Kysely. */
  schema: '3853314791062309107',
  /** `Storage.runExclusively`. */
  runExclusively: '1886352240',
} as const

export type AdvisoryLock = keyof typeof keys

/** Waits for an advisory lock and holds it until the transaction ends. A SQLite database has one process and needs none. */
export async function holdAdvisoryLock(trx: Transaction<Database>, { locksRows }: Flavour, lock: AdvisoryLock): Promise<void> {
  if (locksRows) await sql`select pg_advisory_xact_lock(${sql.lit(keys[lock])})`.execute(trx)
}

/** The same for a lock that is named by a text. Two texts with one hash wait for each other, which is harmless. */
export async function holdNamedLock(trx: Transaction<Database>, { locksRows }: Flavour, name: string): Promise<void> {
  if (locksRows) await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(trx)
}

/** Tries to take the lock without waiting. Returns false if another session has it. PostgreSQL only. */
export async function tryAdvisoryLock(trx: Transaction<Database>, lock: AdvisoryLock): Promise<boolean> {
  const { rows } = await sql<{ taken: boolean }>`select pg_try_advisory_xact_lock(${sql.lit(keys[lock])}) as taken`.execute(trx)
  return rows[0]!.taken
}
