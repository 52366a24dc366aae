import type { Content } from '../../storage/content.ts'
import type { StoredPost } from '../posts/stored-post.ts'
import { visiblePost } from '../posts/visible-post.ts'

/**
 * The post that a user acts on: of a repost the original (public practice). Throws 403 with the sentence `refusal` if either is gone or not
 * visible.
 */
export async function targetPost(content: Content, userId: string, id: string, refusal: string): Promise<StoredPost> {
  const post = await visiblePost(content, userId, id, refusal)
  return post.repostedId === undefined ? post : visiblePost(content, userId, post.repostedId, refusal)
}
