import { sql } from 'kysely'
import type { SqlDatabase } from '../sql-database.ts'

/** What an app's rows are counted in: each has an index that begins with the app. */
const COUNTED = ['webhooks', 'subscriptions', 'user_tokens', 'oauth2_grants']

type Connection = Pick<SqlDatabase['db'], 'getExecutor'>

/** The rows of apps, of all without `appIds`; of each kind up to `most`. */
export async function countAppRows(
  connection: Connection,
  { flavour }: Pick<SqlDatabase, 'flavour'>,
  most: number,
  appIds?: readonly string[],
): Promise<Map<string, number>> {
  const counts = COUNTED.map(
    (table) =>
      sql`(select count(*) from (select 1 from ${sql.table(table)} where app_id = a.id limit ${sql.lit(most)}) as ${sql.ref(table)})`,
  )
  const which = appIds ? sql`where a.id in (select value from ${flavour.values(JSON.stringify(appIds))})` : sql``
  const count = sql.join(counts, sql` + `)
  const { rows } = await sql<{ id: string; count: number }>`select a.id, ${count} as count from apps as a ${which}`.execute(connection)
  return new Map(rows.map((row) => [row.id, row.count]))
}

/** Whether an app has as many rows as its quota allows. In a transaction that holds the app no other adds a webhook or a subscription. */
export async function hasAllRows(connection: Connection, database: Pick<SqlDatabase, 'flavour'>, appId: string, quota: number | null) {
  return quota !== null && ((await countAppRows(connection, database, quota, [appId])).get(appId) ?? 0) >= quota
}
