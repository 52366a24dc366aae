import { type Kysely, sql } from 'kysely'
import type { Flavour } from '../flavour.ts'

/** What each process counted for each app, by minute and later by hour, and the quotas of apps. */
export const addAppLoads = (flavour: Flavour) => async (db: Kysely<unknown>) => {
  const columns = sql`process ${flavour.text}, part bigint, bucket bigint not null, minutes bigint not null, counts ${flavour.text} not null`
  await sql`create table app_loads (${columns}, primary key (process, part))`.execute(db)
  await sql`create index app_loads_by_time on app_loads (bucket)`.execute(db)
  for (const name of ['event_quota', 'delivery_quota', 'row_quota'])
    await sql`alter table apps add column ${sql.ref(name)} bigint`.execute(db)
  await sql`alter table app_usage add column events bigint default 0 not null`.execute(db)
}
