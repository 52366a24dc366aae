import { dialects } from '../../api/declare/dialect.ts'
import type { ActionEvent, Subject } from '../../delivery/outbox.ts'
import type { ContentTransaction } from '../../storage/content.ts'
import { loadAnswer } from '../objects/load-answer.ts'
import { Post } from '../objects/post.ts'
import { User } from '../objects/user.ts'
import type { NewPost } from './new-post.ts'
import { postKinds } from './post-kinds.ts'

/** The fields that everybody reads. */
const publicFields = ({ fields }: typeof Post | typeof User) =>
  Object.entries(fields).flatMap(([name, { only }]) => (only === undefined ? [name] : []))

/** The post with everything that is public of it, beside those who are in it and the posts that it refers to (facts, 2.3). */
const SHAPE = {
  'post.fields': publicFields(Post),
  'user.fields': publicFields(User),
  expansions: ['author_id', 'entities.mentions.username', 'in_reply_to_user_id', 'referenced_posts.id', 'referenced_posts.id.author_id'],
}

/** The event that a user made a post. */
export const postCreatedBy = (userId: string): Subject => ({ eventType: 'post.create', userId })

/**
 * What the event says, within the transaction that stored the post. Undefined for a post that is for promotion only, which no list has either,
 * and for one of a protected author, which not everybody sees.
 */
export async function postCreated(
  { id, text, createdAtMs, nullcast }: NewPost,
  content: ContentTransaction,
): Promise<ActionEvent | undefined> {
  if (nullcast) return undefined
  const about = { values: [id], isList: false }
  const answer = await loadAnswer(postKinds, about, SHAPE, undefined, { content, now: () => createdAtMs })
  const { data, includes } = JSON.parse(answer.write({ dialect: dialects.spec, problemBaseUrl: '' }))
  return data && { payload: data, includes, text }
}
