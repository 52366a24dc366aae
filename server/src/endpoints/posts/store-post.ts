import { DAY_MS } from '../../lib/time.ts'
import type { ContentTransaction } from '../../storage/content.ts'
import { users } from '../../storage/content-tables.ts'
import { insertPost, type NewPost, type Surroundings } from './new-post.ts'

/** The same text again is a duplicate for so long. */
const DUPLICATE_MS = DAY_MS

/** Whether the author has posted the same text within 24 hours; one without a text is no duplicate. */
export const isDuplicate = async (transaction: ContentTransaction, { authorId, text, createdAtMs }: NewPost): Promise<boolean> =>
  text !== '' && (await transaction.hasSameText(authorId, text, createdAtMs - DUPLICATE_MS))

/** Stores a post that a user makes now; it is the newest in the author's profile unless it is for promotion only. */
export async function storePost(transaction: ContentTransaction, post: NewPost, surroundings: Surroundings): Promise<void> {
  await insertPost(transaction, post, surroundings)
  if (!post.nullcast) transaction.raise(users, post.authorId, 'most_recent_post_id', post.id)
}
