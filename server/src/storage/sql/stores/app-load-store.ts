import { sql } from 'kysely'
import { type AppLoads, type LoadPart, MAX_ROWS_COUNTED } from '../../app-loads.ts'
import { type SqlDatabase, unannounced } from '../sql-database.ts'
import { countAppRows } from './app-rows.ts'

const HOUR = 60

export const createAppLoads = ({ db, flavour, unsynced, inTransaction }: SqlDatabase): AppLoads => ({
  // Nobody else writes a part of this process, which saves one after the other.
  save: ({ process, part, ...minute }, merge) =>
    unsynced(async (connection) => {
      const known = connection.selectFrom('app_loads').select('counts').where('process', '=', process).where('part', '=', part)
      const saved = await known.executeTakeFirst()
      const counts = saved ? merge([saved.counts, minute.counts]) : minute.counts
      const insert = connection.insertInto('app_loads').values({ process, part, ...minute, counts })
      await insert.onConflict((conflict) => conflict.columns(['process', 'part']).doUpdateSet({ counts })).execute()
    }),
  async between(from, to) {
    const near = db.selectFrom('app_loads').select(['bucket', 'minutes', 'counts'])
    const found = await near
      .where('bucket', '>', from - HOUR)
      .where('bucket', '<', to)
      .execute()
    return found.filter(({ bucket, minutes }) => bucket + minutes > from)
  },
  fold: ({ before, oldest, process, part, merge }) =>
    inTransaction(async (trx) => {
      await trx.deleteFrom('app_loads').where('bucket', '<', oldest).execute()
      const minutes = trx.selectFrom('app_loads').where('minutes', '=', 1).where('bucket', '<', before)
      const { first } = await minutes.select((it) => it.fn.min('bucket').as('first')).executeTakeFirstOrThrow()
      if (first === null) return unannounced(false)
      const bucket = first - (first % HOUR)
      const ofHour = trx
        .deleteFrom('app_loads')
        .where('minutes', '=', 1)
        .where('bucket', '>=', bucket)
        .where('bucket', '<', bucket + HOUR)
      const folded = await ofHour.returning('counts').execute()
      const hour: LoadPart = { process, part, bucket, minutes: HOUR, counts: merge(folded.map((row) => row.counts)) }
      // Another process may have folded it meanwhile.
      if (folded.length > 0) await trx.insertInto('app_loads').values(hour).execute()
      return unannounced(true)
    }),
  countRows: (appIds) => countAppRows(db, { flavour }, MAX_ROWS_COUNTED, appIds),
  async webhooksOf(appIds, limit) {
    const { rows } = await sql<{ app_id: string; id: string }>`
      select w.app_id, w.id from webhooks as w
      where w.app_id in (select value from ${flavour.values(JSON.stringify(appIds))}) limit ${limit}`.execute(db)
    return rows.map((row) => ({ appId: row.app_id, webhookId: row.id }))
  },
})
