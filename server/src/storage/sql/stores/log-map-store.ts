import type { LogMap, LogMapStore } from '../../log-map.ts'
import { EVENT_LOGS as name } from '../../metadata.ts'
import { announce, type SqlDatabase, unannounced } from '../sql-database.ts'

/** The map that a value of `metadata` has; undefined for none. */
export const parseLogMap = (value: string | undefined): LogMap | undefined => (value === undefined ? undefined : JSON.parse(value))

/** One value, because it is read and changed whole. */
export function createLogMapStore({ db, inTransaction }: SqlDatabase): LogMapStore {
  return {
    async read() {
      return parseLogMap((await db.selectFrom('metadata').select('value').where('name', '=', name).executeTakeFirst())?.value)
    },
    replace: (former, map) =>
      inTransaction(async (trx) => {
        const value = JSON.stringify(map)
        const changed =
          former === undefined
            ? (
                await trx
                  .insertInto('metadata')
                  .values({ name, value })
                  .onConflict((conflict) => conflict.doNothing())
                  .executeTakeFirst()
              ).numInsertedOrUpdatedRows
            : (
                await trx
                  .updateTable('metadata')
                  .set({ value })
                  .where('name', '=', name)
                  .where('value', '=', JSON.stringify(former))
                  .executeTakeFirst()
              ).numUpdatedRows
        return changed === 1n ? announce(true, { kind: 'logs' }) : unannounced(false)
      }),
  }
}
