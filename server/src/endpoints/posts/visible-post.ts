import { forbidden, Problem } from '../../api/declare/problem.ts'
import type { Content } from '../../storage/content.ts'
import { users } from '../../storage/content-tables.ts'
import { Post } from '../objects/post.ts'
import { hiddenFrom } from '../objects/visibility.ts'
import { type StoredPost, storedPost } from './stored-post.ts'

/** A post that the user may see and act on. Throws 403 with the sentence `refusal` for one that is gone or not visible (public practice). */
export async function visiblePost(content: Content, userId: string, id: string, refusal: string): Promise<StoredPost> {
  const post = await storedPost(content, id)
  if (!post) throw forbidden(refusal)
  const [[author], pairs] = await Promise.all([
    content.rows(users, ['disabled', 'protected'], [post.authorId]),
    post.authorId === userId ? [] : content.relationsOf(userId, [post.authorId], ['follow', 'block']),
  ])
  const relations = new Set(pairs.map(({ relation, source, target }) => `${relation}:${source}:${target}`))
  const value = (column: string) => (column === 'author_id' ? post.authorId : (post.restriction ?? null))
  const authorOf = () => author && ((column: string) => author[column === 'disabled' ? 0 : 1])
  if (hiddenFrom(Post, value, { viewerId: userId, relations }, authorOf)) throw forbidden(refusal)
  return post
}

/** 404 for a post that does not exist. */
export const postNotFound = (id: string): Problem =>
  new Problem('resource-not-found', {
    detail: `Could not find post with id: [${id}].`,
    ...{ parameter: 'id', resource_id: id, resource_type: 'post', value: id },
  })
