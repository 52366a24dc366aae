import { DAY_MS } from '../../lib/time.ts'
import type { Content, ContentTransaction } from '../../storage/content.ts'
import { posts, users } from '../../storage/content-tables.ts'
import { insertPost, type NewPost, type Surroundings } from './new-post.ts'

/** The same text again is a duplicate for so long. */
const DUPLICATE_MS = DAY_MS

/** Whether the author has posted the same text within 24 hours; one without a text is no duplicate. */
export const isDuplicate = async (transaction: ContentTransaction, { authorId, text, createdAtMs }: NewPost): Promise<boolean> =>
  text !== '' && (await transaction.hasSameText(authorId, text, createdAtMs - DUPLICATE_MS))

/** Stores a post that a user makes now; it is the newest in the author's profile unless it is for promotion only. */
export async function storePost(transaction: ContentTransaction, post: NewPost, surroundings: Surroundings): Promise<void> {
  await insertPost(transaction, post, surroundings)
  if (!post.nullcast) transaction.raise(users, post.authorId, 'most_recent_post_id', post.id)
}

const COLUMNS = [
  ...(['id', 'author_id', 'text', 'created_at_ms', 'lang', 'nullcast', 'replied_to_id', 'quoted_id', 'reposted_id'] as const),
  ...(['media_keys', 'place_id', 'conversation_id', 'reply_settings', 'entities', 'restriction', 'poll_id'] as const),
]

/** A post as rules and removals need it. */
export interface StoredPost extends NewPost {
  conversationId: string
  replySettings: string
}

const orUndefined = (value: unknown) => (value === null ? undefined : (value as string))

/** Reads a post; undefined if there is none of this id. */
export async function storedPost(content: Pick<Content, 'rows'>, id: string): Promise<StoredPost | undefined> {
  const [row] = await content.rows(posts, COLUMNS, [id])
  if (!row) return undefined
  const value = (column: (typeof COLUMNS)[number]) => row[COLUMNS.indexOf(column)]
  return {
    id,
    authorId: value('author_id') as string,
    text: value('text') as string,
    createdAtMs: value('created_at_ms') as number,
    lang: value('lang') as string,
    nullcast: Boolean(value('nullcast')),
    replySettings: value('reply_settings') as string,
    conversationId: value('conversation_id') as string,
    repliedToId: orUndefined(value('replied_to_id')),
    quotedId: orUndefined(value('quoted_id')),
    repostedId: orUndefined(value('reposted_id')),
    placeId: orUndefined(value('place_id')),
    restriction: orUndefined(value('restriction')),
    pollId: orUndefined(value('poll_id')),
    mediaKeys: value('media_keys') ? (JSON.parse(value('media_keys') as string) as string[]) : [],
  }
}
