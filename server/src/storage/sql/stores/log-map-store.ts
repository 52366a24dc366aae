import { type Kysely, sql } from 'kysely'
import { isDivided, type LogMap, type LogMapStore } from '../../log-map.ts'
import { EVENT_LOGS as name } from '../../metadata.ts'
import { SEVERAL_LOGS } from '../../schema-changes.ts'
import type { Database } from '../schema.ts'
import { announce, type SqlDatabase, unannounced } from '../sql-database.ts'

/** The map that a value of `metadata` has; undefined for none. */
export const parseLogMap = (value: string | undefined): LogMap | undefined => (value === undefined ? undefined : JSON.parse(value))

/** Whether version 0.2 may start. */
const keepFormerOut = (db: Kysely<Database>, map: LogMap) =>
  isDivided(map)
    ? sql`insert into migrations (name, "timestamp") values (${SEVERAL_LOGS}, to_char(clock_timestamp() at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) on conflict do nothing`.execute(
        db,
      )
    : sql`delete from migrations where name = ${SEVERAL_LOGS}`.execute(db)

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
        if (changed === 1n) await keepFormerOut(trx, map)
        return changed === 1n ? announce(true, { kind: 'logs' }) : unannounced(false)
      }),
    keepFormerOut: () =>
      inTransaction(async (trx) => {
        const row = await trx.selectFrom('metadata').select('value').where('name', '=', name).forNoKeyUpdate().executeTakeFirst()
        if (row) await keepFormerOut(trx, parseLogMap(row.value)!)
        return unannounced(undefined)
      }),
  }
}
