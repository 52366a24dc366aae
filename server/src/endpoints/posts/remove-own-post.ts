import type { Content } from '../../storage/content.ts'
import { users } from '../../storage/content-tables.ts'
import { removePost, surroundingsOf } from './new-post.ts'
import type { StoredPost } from './stored-post.ts'

/** Deletes a post; its author has it no longer as the newest or the pinned one. False if it is gone already. */
export async function removeOwnPost(content: Content, post: StoredPost): Promise<boolean> {
  const { id, authorId } = post
  const surroundings = await surroundingsOf(post, content)
  const newest = await content.postIds({ of: 'author', authorId, replies: true, reposts: true }, { limit: 2 })
  return content.change(async (transaction) => {
    // Locks the author before the post.
    const author = await transaction.get(users, authorId, ['most_recent_post_id', 'pinned_post_id'])
    if (!(await removePost(transaction, post, surroundings))) return false
    const others = newest.filter((one) => one !== id)
    if (author?.most_recent_post_id === id) await transaction.update(users, authorId, { most_recent_post_id: others[0] ?? null })
    if (author?.pinned_post_id === id) await transaction.update(users, authorId, { pinned_post_id: null })
    return true
  })
}
