import { type Kysely, sql } from 'kysely'

/** By what the same text of an author is found. Posts that exist have none: they are old soon. */
export const addPostTexts = async (db: Kysely<unknown>) => {
  await db.schema.alterTable('posts').addColumn('text_hash', 'bigint').execute()
  await sql`create index posts_same_text on posts (author_id, text_hash) where text_hash is not null`.execute(db)
}
