import { entitiesOf } from '../../lib/post-text/entities.ts'
import { termHash } from '../../lib/post-text/terms.ts'
import type { Content, ContentTransaction } from '../../storage/content.ts'
import { media, posts, users } from '../../storage/content-tables.ts'
import { countPost, mediaOf, mentionsIn, type NewPost, rowOf, type Surroundings, termsOfPost } from './new-post.ts'

/** Keys with a value each. */
const pairsOf = (rows: readonly (readonly unknown[])[]) => new Map(rows.map(([key, value]) => [key as string, value]))

/**
 * Reads what posts are stored with: the posts that they refer to, those whom they mention, their media. A post that refers to another of them must
 * come after it.
 */
export async function surroundingsOfAll(newPosts: readonly NewPost[], content: Pick<Content, 'rows'>): Promise<Surroundings[]> {
  const entities = newPosts.map(({ text }) => entitiesOf(text))
  const mentions = newPosts.map(({ text }, place) => mentionsIn(text, entities[place]))
  const [parents, ids, authors, kinds] = await Promise.all([
    content.rows(
      posts,
      ['id', 'author_id', 'conversation_id'],
      [
        ...new Set(
          newPosts.flatMap(({ repliedToId, quotedId, repostedId }) => [repliedToId, quotedId, repostedId].filter((id) => id !== undefined)),
        ),
      ],
    ),
    content.rows(users, ['username_key', 'id'], [...new Set(mentions.flat())], 'username_key'),
    content.rows(users, ['id', 'verified'], [...new Set(newPosts.map(({ authorId }) => authorId))]),
    content.rows(media, ['media_key', 'type'], [...new Set(newPosts.flatMap(({ mediaKeys = [] }) => mediaKeys))]),
  ])
  const conversations = new Map(parents.map(([id, authorId, conversationId]) => [id, { authorId, conversationId }])) as Map<
    string | undefined,
    NonNullable<Surroundings['repliedTo']>
  >
  const [idOf, isVerified, kindOf] = [pairsOf(ids), pairsOf(authors), pairsOf(kinds)]
  return newPosts.map((post, place): Surroundings => {
    const repliedTo = conversations.get(post.repliedToId)
    conversations.set(post.id, { authorId: post.authorId, conversationId: repliedTo?.conversationId ?? post.id })
    const found = mentions[place]!.filter((key) => idOf.has(key))
    return {
      ...(repliedTo && { repliedTo }),
      repostedAuthorId: conversations.get(post.repostedId)?.authorId,
      quotedAuthorId: conversations.get(post.quotedId)?.authorId,
      entities: entities[place],
      mentioned: new Map(found.map((key) => [key, idOf.get(key) as string])),
      isAuthorVerified: Boolean(isVerified.get(post.authorId)),
      mediaKinds: (post.mediaKeys ?? []).flatMap((key) => (kindOf.get(key) as 'photo' | undefined) ?? []),
    }
  })
}

/** The same for one post. */
export const surroundingsOf = async (post: NewPost, content: Pick<Content, 'rows'>): Promise<Surroundings> =>
  (await surroundingsOfAll([post], content))[0]!

/** A post with everything that is stored of it. */
export interface PreparedPost {
  post: NewPost
  row: ReturnType<typeof rowOf>
  termHashes: bigint[]
}

/** Prepares a post outside of the transaction that stores it. */
export const preparePost = (post: NewPost, surroundings: Surroundings): PreparedPost => ({
  post,
  row: rowOf(post, surroundings),
  termHashes: [...new Set(termsOfPost(post, surroundings).map(termHash))],
})

/** Stores many posts as `insertPost` stores one, and makes each its author's most recent one, if it is. The ids of those that were not taken. */
export async function insertPosts(
  transaction: Pick<ContentTransaction, 'insertAll' | 'addAllTerms' | 'relateAll' | 'count' | 'raise'>,
  prepared: readonly PreparedPost[],
): Promise<Set<string>> {
  const rows = prepared.map(({ row }) => row)
  const inserted = new Set(await transaction.insertAll(posts, rows))
  const stored = prepared.filter(({ post }) => inserted.has(post.id))
  await transaction.addAllTerms(stored.flatMap(({ post, termHashes }) => termHashes.map((hash) => [hash, BigInt(post.id)] as const)))
  await transaction.relateAll(stored.flatMap(({ post }) => mediaOf(post)))
  for (const { post } of stored) {
    countPost(transaction, post, 1)
    if (!post.nullcast) transaction.raise(users, post.authorId, 'most_recent_post_id', post.id)
  }
  return inserted
}
