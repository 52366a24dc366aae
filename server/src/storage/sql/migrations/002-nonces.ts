import { type Kysely, sql } from 'kysely'
import type { Flavour } from '../flavour.ts'

/** Used nonces are rows on SQLite too, where they were in files beside the database. */
export const addNonces = (flavour: Flavour) => async (db: Kysely<unknown>) => {
  if (flavour.name !== 'sqlite') return
  await sql`create table nonces (key text not null, expires_at_ms bigint not null, constraint nonces_pkey primary key (key))`.execute(db)
  await sql`create index nonces_expiry on nonces (expires_at_ms)`.execute(db)
  await sql`delete from metadata where name = 'nonces_key'`.execute(db)
}
