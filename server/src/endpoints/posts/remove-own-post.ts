import type { Outbox } from '../../delivery/outbox.ts'
import type { Content } from '../../storage/content.ts'
import { users } from '../../storage/content-tables.ts'
import { surroundingsOf } from './insert-posts.ts'
import { removePost } from './new-post.ts'
import { postDeleted } from './post-events.ts'
import type { StoredPost } from './stored-post.ts'

export interface RemoveServices {
  content: Content
  outbox: Outbox
  now: () => number
}

/** Deletes a post; its author has it no longer as the newest or the pinned one. False if it is gone already. */
export async function removeOwnPost({ content, outbox, now }: RemoveServices, post: StoredPost): Promise<boolean> {
  const { id, authorId } = post
  const surroundings = await surroundingsOf(post, content)
  const deleted = postDeleted(post, now())
  return outbox.change([deleted], async (transaction, announce) => {
    // Locks the author before the post.
    const author = await transaction.get(users, authorId, ['most_recent_post_id', 'pinned_post_id'])
    if (!(await removePost(transaction, post, surroundings))) return false
    if (author?.most_recent_post_id === id)
      await transaction.update(users, authorId, { most_recent_post_id: (await transaction.newestPostOf(authorId)) ?? null })
    if (author?.pinned_post_id === id) await transaction.update(users, authorId, { pinned_post_id: null })
    await announce([deleted])
    return true
  })
}
