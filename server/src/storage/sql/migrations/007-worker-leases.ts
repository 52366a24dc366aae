import { type Kysely, sql } from 'kysely'
import type { Flavour } from '../flavour.ts'

/** Which processes work, and until when they said so last. On PostgreSQL only: a SQLite file has one process. */
export const addWorkerLeases = (flavour: Flavour) => async (db: Kysely<unknown>) => {
  if (!flavour.locksRows) return
  await sql`create table worker_leases (worker smallint not null primary key, until timestamptz not null)`.execute(db)
}
