import type { Flavour } from '../flavour.ts'
import type { Exclusive } from '../sql-database.ts'

/** Locks an app for a transaction that checks and changes what belongs to it. Inserts that only reference the app do not wait for this lock. */
export const lockApp = (flavour: Flavour, appId: string): Exclusive<void> => ({
  key: `app ${appId}`,
  async lock(trx) {
    if (flavour.locksRows) await trx.selectFrom('apps').select('id').where('id', '=', appId).forNoKeyUpdate().execute()
  },
})
