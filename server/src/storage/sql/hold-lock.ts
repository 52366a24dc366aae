import { sql, type Transaction } from 'kysely'
import type { Flavour } from './flavour.ts'
import type { Database } from './schema.ts'

/** What processes that share a database do one after the other: the keys of its advisory locks. */
const locks = {
  /** Making declared tables. */
  tables: 1_886_352_239,
  /** What is done alone. */
  alone: 1_886_352_240,
} as const

/** Holds a lock until the transaction ends. SQLite has but one process. */
export async function holdLock(trx: Transaction<Database>, { locksRows }: Flavour, lock: keyof typeof locks): Promise<void> {
  if (locksRows) await sql`select pg_advisory_xact_lock(${sql.lit(locks[lock])})`.execute(trx)
}

/** The same, when nobody has it now; false when somebody has. On PostgreSQL. */
export async function tryLock(trx: Transaction<Database>, lock: keyof typeof locks): Promise<boolean> {
  const { rows } = await sql<{ taken: boolean }>`select pg_try_advisory_xact_lock(${sql.lit(locks[lock])}) as taken`.execute(trx)
  return rows[0]!.taken
}
