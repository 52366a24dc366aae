import { type Kysely, sql } from 'kysely'
import type { Flavour } from '../flavour.ts'

/** Which processes may believe their caches. On PostgreSQL only: a SQLite file has one process. */
export const addCachingProcesses = (flavour: Flavour) => async (db: Kysely<unknown>) => {
  if (!flavour.locksRows) return
  await sql`create table caching_processes (id text not null primary key)`.execute(db)
}
