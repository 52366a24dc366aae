import type { ActionEvent, Announcement } from '../../delivery/outbox.ts'
import { answerJson, PUBLIC_FIELDS, publicUsers, type Reads } from '../objects/public-objects.ts'
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

const isBlocking = async (reads: Reads, one: string, other: string) => (await reads.relationsOf(one, [other], ['block'])).length > 0

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

/**
 * The events of a new post: that of its author, and one for each other user whom it mentions, replies to, quotes or reposts, if that user sees
 * the post and neither blocks the other. A post that is for promotion only has none, because no list has it either.
 */
export function postEvents(post: NewPost, surroundings: Surroundings): Announcement[] {
  if (post.nullcast) return []
  const ofOthers = concernedBy(post, surroundings).map(
    (subject): Announcement => ({
      ...subject,
      say: async (transaction) =>
        (await isBlocking(transaction, subject.userId, post.authorId)) ? undefined : postSaid(post, transaction, subject.userId),
    }),
  )
  return [{ eventType: 'post.create', userId: post.authorId, say: (transaction) => postSaid(post, transaction) }, ...ofOthers]
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
