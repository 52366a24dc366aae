import { type Kysely, sql } from 'kysely'
import type { Flavour } from '../flavour.ts'

/** Jobs that resend what failed. At most one runs. */
export const addResendJobs =
  ({ text }: Flavour) =>
  async (db: Kysely<unknown>) => {
    const filter = sql`app_id ${text}, event_type ${text}, states ${text} not null, from_ms bigint not null, to_ms bigint not null`
    const progress = sql`state ${text} not null, place ${text}, resent bigint not null, refused bigint not null, worker integer`
    const times = sql`created_at_ms bigint not null, finished_at_ms bigint`
    await sql`create table resend_jobs (id ${text} not null primary key, ${filter}, ${progress}, ${times})`.execute(db)
    await sql`create unique index resend_jobs_running on resend_jobs (state) where state = 'running'`.execute(db)
  }
