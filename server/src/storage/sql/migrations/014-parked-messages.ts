import { type Kysely, sql } from 'kysely'
import type { Flavour } from '../flavour.ts'

/** Messages of a broker that can never be published. */
export const addParkedMessages =
  ({ text }: Flavour) =>
  async (db: Kysely<unknown>) => {
    const place = sql`stream ${text} not null, stream_life ${text} not null, sequence bigint not null, subject ${text} not null`
    const what = sql`reason ${text} not null, bytes bigint not null, content ${text} not null`
    const times = sql`received_at_ms bigint not null, parked_at_ms bigint not null`
    await sql`create table parked_messages (id ${text} not null primary key, ${place}, ${what}, ${times})`.execute(db)
    await sql`create unique index parked_messages_place on parked_messages (stream_life, sequence)`.execute(db)
  }
