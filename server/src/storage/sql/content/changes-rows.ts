import type { RawBuilder, Transaction } from 'kysely'
import type { Database } from '../schema.ts'

/** Runs a statement; whether it changed any row. */
export async function changesRows(trx: Transaction<Database>, statement: RawBuilder<unknown>): Promise<boolean> {
  return ((await statement.execute(trx)).numAffectedRows ?? 0n) > 0n
}
