import type { RawBuilder, Transaction } from 'kysely'
import type { Database } from '../schema.ts'

/** Runs a statement; whether it changed a row. */
export async function changed(trx: Transaction<Database>, statement: RawBuilder<unknown>): Promise<boolean> {
  return ((await statement.execute(trx)).numAffectedRows ?? 0n) > 0n
}
