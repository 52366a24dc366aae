import { type Kysely, sql } from 'kysely'
import type { Flavour } from '../flavour.ts'

/** What each process counted in the last hour; on SQLite there is one, which has it in memory. */
export const addHourParts = (flavour: Flavour) => async (db: Kysely<unknown>) => {
  if (flavour.name !== 'postgres') return
  const columns = sql`process text collate "C", worker smallint not null, since_ms bigint not null, bucket bigint, counts text not null`
  await sql`create table hour_parts (${columns}, primary key (process, bucket))`.execute(db)
  await sql`create index hour_parts_by_time on hour_parts (bucket)`.execute(db)
}
