import { type Kysely, sql } from 'kysely'
import type { Flavour } from '../flavour.ts'

/** What the keys of media begin with, and the category that they are of. */
const categories = { 3: 'TWEET_IMAGE', 7: 'TWEET_VIDEO', 13: 'AMPLIFY_VIDEO', 16: 'TWEET_GIF' }

/** What media were uploaded for; null for those that were uploaded without a category. */
export const addMediaCategory = (flavour: Flavour) => async (db: Kysely<unknown>) => {
  await db.schema.alterTable('media').addColumn('category', flavour.text).execute()
  for (const [prefix, category] of Object.entries(categories))
    await sql`update media set category = ${category} where media_key like ${`${prefix}\\_%`} escape '\\'`.execute(db)
}
