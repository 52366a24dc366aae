import { type Kysely, sql } from 'kysely'

/** Keywords are counted with the index of terms alone, between the ids of a span. */
export const dropKeywordLists = async (db: Kysely<unknown>) => {
  for (const table of ['unpacked_posts', 'packed_hours', 'packed_terms']) await db.schema.dropTable(table).execute()
  await sql`create index posts_by_time on posts (created_at_ms, id)`.execute(db)
}
