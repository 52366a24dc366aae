import type { ActionEvent, Announcement } from '../../delivery/outbox.ts'
import { oncePer } from '../../lib/lazy.ts'
import type { ContentTransaction } from '../../storage/content.ts'
import { posts } from '../../storage/content-tables.ts'
import { answerJson, type ObjectJson, PUBLIC_FIELDS, publicUsers, type Reads } from '../objects/public-objects.ts'
import type { NewPost, Surroundings } from './new-post.ts'
import { postKinds } from './post-kinds.ts'
import type { StoredPost } from './stored-post.ts'
import { whyHidden } from './visible-post.ts'

/** The post with everything that is public of it, beside those who are in it and the posts that it refers to (§6.8). */
const SHAPE = {
  ...PUBLIC_FIELDS,
  expansions: ['author_id', 'entities.mentions.username', 'in_reply_to_user_id', 'referenced_posts.id', 'referenced_posts.id.author_id'],
}

/** Which of these posts are for promotion only. */
async function promotionOnly(reads: Reads, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = ids.length > 0 ? await reads.rows(posts, ['id', 'nullcast'], ids) : []
  return new Set(rows.flatMap(([id, nullcast]) => (nullcast ? [id as string] : [])))
}

/** Whether no list has a post, and no event is about it: it is for promotion only, or repeats the text of one that is. */
const isUnlisted = async ({ nullcast = false, repostedId }: NewPost, reads: Reads): Promise<boolean> =>
  nullcast || (repostedId !== undefined && (await promotionOnly(reads, [repostedId])).has(repostedId))

type Includes = Record<string, ObjectJson[]>

/** Leaves out posts that are for promotion only: a post may quote one or reply to it. */
async function listedOnly({ posts: found = [], ...others }: Includes, reads: Reads): Promise<Includes> {
  const ids = found.map(({ id }) => id as string)
  const unlisted = await promotionOnly(reads, ids)
  const listed = found.filter((_, place) => !unlisted.has(ids[place]!))
  return { ...others, ...(listed.length > 0 && { posts: listed }) }
}

/** What an event says of a post that a viewer sees; without a viewer one that everybody sees. Undefined for any other. */
async function postSaid(post: NewPost, reads: Reads, viewerId?: string): Promise<ActionEvent | undefined> {
  if (await isUnlisted(post, reads)) return undefined
  const { id, text, createdAtMs: nowMs } = post
  const { data, includes } = await answerJson(postKinds, { values: [id], isList: false }, SHAPE, { reads, viewerId, nowMs })
  return data && { payload: data, includes: includes && (await listedOnly(includes, reads)), text }
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
 * the post and neither blocks the other. A post that is for promotion only has none, because no list has it either; nor has a repost of one.
 */
export function announcementsOfPost(post: NewPost, surroundings: Surroundings): Announcement[] {
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

/**
 * The event that a post is deleted, with ids alone: who was told of the post is told that it is gone, whatever the author has hidden since. An
 * author whom everybody sees is in `includes`.
 */
export const postDeleted = (post: StoredPost, nowMs: number): Announcement => ({
  eventType: 'post.delete',
  userId: post.authorId,
  async say(transaction) {
    if (await isUnlisted(post, transaction)) return undefined
    const { id, authorId } = post
    const payload = { id, author_id: authorId }
    if (await whyHidden(transaction, undefined, { authorId })) return { payload }
    const users = await publicUsers(transaction, [authorId], nowMs)
    return { payload, includes: { users: [{ data: users.get(authorId) }] } }
  },
})
