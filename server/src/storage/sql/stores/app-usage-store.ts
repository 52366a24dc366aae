import { sql } from 'kysely'
import type { AppUsage } from '../../apps.ts'
import type { SqlDatabase } from '../sql-database.ts'

/** Counts do not wait for the fsync: a loss of power may lose the last of them. A process whose clock is behind counts into the newer month. */
export const createAppUsage = ({ db, flavour, unsynced }: SqlDatabase): AppUsage => ({
  async add(deliveries, month) {
    if (deliveries.size === 0) return
    const pairs = JSON.stringify([...deliveries].map(([appId, count]) => [appId, String(count)]))
    // In order of the apps, so that processes never wait for one another in a circle.
    const statement = sql`
      insert into app_usage as known (app_id, month, deliveries)
      select apps.id, cast(${month} as integer), cast(pairs.second as bigint)
      from ${flavour.pairs(pairs)} join apps on apps.id = pairs.first
      where true order by apps.id
      on conflict (app_id) do update set
        deliveries = case when excluded.month > known.month then excluded.deliveries else known.deliveries + excluded.deliveries end,
        month = case when excluded.month > known.month then excluded.month else known.month end`
    await unsynced((connection) => statement.execute(connection))
  },
  async deliveries(appId, month) {
    const counted = db.selectFrom('app_usage').select('deliveries').where('app_id', '=', appId).where('month', '>=', month)
    return (await counted.executeTakeFirst())?.deliveries ?? 0
  },
})
