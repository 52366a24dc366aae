import type { Flavour } from '../flavour.ts'
import type { Exclusive } from '../sql-database.ts'

/** For a transaction that decides something about what belongs to an app. The lock is one that references to the app do not wait for. */
export const lockApp = (flavour: Flavour, appId: string): Exclusive<void> => ({
  key: `app ${appId}`,
  async lock(trx) {
    if (flavour.locksRows) await trx.selectFrom('apps').select('id').where('id', '=', appId).forNoKeyUpdate().execute()
  },
})
