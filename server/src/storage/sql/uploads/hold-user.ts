import type { Transaction } from 'kysely'
import type { Flavour } from '../flavour.ts'
import type { Database } from '../schema.ts'

/** Whether there is this user, who then stays until the end of the transaction. */
export async function holdUser(trx: Transaction<Database>, { locksRows }: Flavour, userId: string): Promise<boolean> {
  const found = trx.selectFrom('users').select('id').where('id', '=', userId)
  return (await found.$if(locksRows, (query) => query.forKeyShare()).executeTakeFirst()) !== undefined
}
