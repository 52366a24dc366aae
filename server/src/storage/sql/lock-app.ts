import type { Transaction } from 'kysely'
import type { Flavour } from './flavour.ts'
import type { Database } from './schema.ts'

/** Until the transaction ends, no other decides anything about what belongs to this app. */
export async function lockApp(trx: Transaction<Database>, flavour: Flavour, appId: string): Promise<void> {
  if (flavour.locksRows) await trx.selectFrom('apps').select('id').where('id', '=', appId).forUpdate().execute()
}
