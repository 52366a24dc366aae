import type { ActionEvent, Announcement } from '../../delivery/outbox.ts'
import { oncePer } from '../../lib/once-per.ts'
import type { ContentTransaction } from '../../storage/content.ts'
import { answerJson, type ObjectJson, PUBLIC_FIELDS, publicUsers, type Reads } from '../objects/public-objects.ts'
import type { NewPost, Surroundings } from './new-post.ts'
import { postKinds } from './post-kinds.ts'
import { type StoredPost, storedPost } from './stored-post.ts'
import { whyHidden } from './visible-post.ts'

/** The post with everything that is public of it, beside those who are in it and the posts that it refers to (facts, 2.3). */
const SHAPE = {
  ...PUBLIC_FIELDS,
  expansions: ['author_id', 'entities.mentions.username', 'in_reply_to_user_id', 'referenced_posts.id', 'referenced_posts.id.author_id'],
}

/** What an event says of a post that a viewer sees; without a viewer one that everybody sees. Undefined for any other. */
async function postSaid({ id, text, createdAtMs: nowMs }: NewPost, reads: Reads, viewerId?: string): Promise<ActionEvent | undefined> {
  const { data, includes } = await answerJson(postKinds, { values: [id], isList: false }, SHAPE, { reads, viewerId, nowMs })
  return data && { payload: data, includes, text }
}

/** Which of these users block one, or are blocked. */
async function acrossBlocks(userId: string, others: readonly string[], reads: Reads): Promise<ReadonlySet<string>> {
  const pairs = await reads.relationsOf(userId, others, ['block'])
  return new Set(pairs.flatMap(({ source, target }) => [source, target]))
}

/** What a post does to others: the type of the event, and whom it is about. A repost repeats the mentions of the original, and mentions nobody. */
function concernedBy(post: NewPost, { mentioned, repliedTo, quotedAuthorId, repostedAuthorId }: Surroundings) {
  const mentions = post.repostedId === undefined ? [...mentioned.values()] : []
  const concerned = [
    ...mentions.map((userId) => ['post.mention.create', userId] as const),
    ['post.reply.create', repliedTo?.authorId] as const,
    ['post.quote.create', quotedAuthorId] as const,
    ['post.repost.create', repostedAuthorId] as const,
  ]
  return concerned.flatMap(([eventType, userId]) => (userId === undefined || userId === post.authorId ? [] : [{ eventType, userId }]))
}

/** Those of these users who may not see all posts that another one refers to, because of a block. There may be others among them. */
async function seeingLess(post: NewPost, others: readonly string[], said: ReturnType<typeof postSaid>, reads: Reads) {
  const { posts = [] } = ((await said)?.includes ?? {}) as { posts?: ObjectJson[] }
  const authors = new Set(posts.map(({ author_id }) => author_id as string))
  authors.delete(post.authorId)
  const across: ReadonlySet<string>[] = []
  for (const author of authors) across.push(await acrossBlocks(author, others, reads))
  return new Set(across.flatMap((users) => [...users]))
}

/**
 * The events of a new post: that of its author, and one for each other user whom it mentions, replies to, quotes or reposts, if that user sees
 * the post and neither blocks the other. A post that is for promotion only has none, because no list has it either.
 */
export function postEvents(post: NewPost, surroundings: Surroundings): Announcement[] {
  if (post.nullcast) return []
  const concerned = concernedBy(post, surroundings)
  const others = [...new Set(concerned.map(({ userId }) => userId))]
  // The author is locked while this is read: what is the same for everybody is read once.
  const toEverybody = oncePer((transaction: ContentTransaction) => postSaid(post, transaction))
  const acrossBlocksOf = oncePer((transaction: ContentTransaction) => acrossBlocks(post.authorId, others, transaction))
  const notAlike = oncePer((transaction: ContentTransaction) => seeingLess(post, others, toEverybody(transaction), transaction))
  const ofOthers = concerned.map((subject): Announcement => {
    const { userId } = subject
    return {
      ...subject,
      async say(transaction) {
        if ((await acrossBlocksOf(transaction)).has(userId)) return undefined
        const said = await toEverybody(transaction)
        return said && !(await notAlike(transaction)).has(userId) ? said : postSaid(post, transaction, userId)
      },
    }
  })
  return [{ eventType: 'post.create', userId: post.authorId, say: toEverybody }, ...ofOthers]
}

/** Whether everybody sees a post. A repost is hidden as its original is. */
async function isPublic(post: StoredPost, reads: Reads): Promise<boolean> {
  if (post.nullcast || (await whyHidden(reads, undefined, post))) return false
  if (post.repostedId === undefined) return true
  const original = await storedPost(reads, post.repostedId)
  return original !== undefined && !(await whyHidden(reads, undefined, original))
}

/** The event that a post which everybody could see is deleted. */
export const postDeleted = (post: StoredPost, nowMs: number): Announcement => ({
  ...{ eventType: 'post.delete', userId: post.authorId },
  async say(transaction) {
    if (!(await isPublic(post, transaction))) return undefined
    const { id, authorId } = post
    const users = await publicUsers(transaction, [authorId], nowMs)
    return { payload: { id, author_id: authorId }, includes: { users: [{ data: users.get(authorId) }] } }
  },
})
