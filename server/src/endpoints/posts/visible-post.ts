import { forbidden, Problem } from '../../api/declare/problem.ts'
import type { Content, ContentTransaction } from '../../storage/content.ts'
import { posts, users } from '../../storage/content-tables.ts'
import { Post } from '../objects/post.ts'
import { type Hidden, hiddenFrom } from '../objects/visibility.ts'
import { type StoredPost, storedPost } from './stored-post.ts'

/** Why a user does not see a post, or any post of its author; undefined for one that is seen. Of a repost the original is another post. */
export async function whyHidden(
  content: Pick<Content, 'rows' | 'relationsOf'>,
  viewerId: string | undefined,
  { authorId, restriction }: { authorId: string; restriction?: string },
): Promise<Hidden | undefined> {
  const [[author], pairs] = await Promise.all([
    content.rows(users, ['disabled', 'protected'], [authorId]),
    viewerId === undefined || authorId === viewerId ? [] : content.relationsOf(viewerId, [authorId], ['follow', 'block']),
  ])
  const relations = new Set(pairs.map(({ relation, source, target }) => `${relation}:${source}:${target}`))
  const value = (column: string) => ({ author_id: authorId, restriction })[column]
  const authorOf = () => author && ((column: string) => author[column === 'disabled' ? 0 : 1])
  return hiddenFrom(Post, value, { viewerId, relations }, authorOf, () => undefined)
}

/** A post that the user may see and act on. Throws 403 with the sentence `refusal` for one that is gone or not visible (public practice). */
export async function visiblePost(content: Content, userId: string, id: string, refusal: string): Promise<StoredPost> {
  const post = await storedPost(content, id)
  if (!post || (await whyHidden(content, userId, post))) throw forbidden(refusal)
  return post
}

/**
 * The same within a transaction that counts something at the post: what was decided since, and that the post is gone when it commits, refuses
 * too.
 */
export async function expectVisiblePost(transaction: ContentTransaction, userId: string, id: string, refusal: string): Promise<void> {
  transaction.expect(posts, id, () => forbidden(refusal))
  const [post] = await transaction.rows(posts, ['author_id', 'restriction'], [id])
  const seen = post && { authorId: post[0] as string, restriction: (post[1] as string | null) ?? undefined }
  if (!seen || (await whyHidden(transaction, userId, seen))) throw forbidden(refusal)
}

/** 404 for a post that does not exist. */
export const postNotFound = (id: string): Problem =>
  new Problem('resource-not-found', {
    detail: `Could not find post with id: [${id}].`,
    parameter: 'id',
    resource_id: id,
    resource_type: 'post',
    value: id,
  })
