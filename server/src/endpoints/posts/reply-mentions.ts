import type { Content } from '../../storage/content.ts'
import { users } from '../../storage/content-tables.ts'
import { mentionsIn } from './new-post.ts'
import type { StoredPost } from './stored-post.ts'

/** A reply mentions no more users by itself. */
const MOST_MENTIONS = 50

/**
 * The text of a reply that begins with those who take part: the author of the post that it replies to, and whom that mentions. Without the
 * user, those whom the text mentions anyway, and the excluded ones (public practice).
 */
export async function withReplyMentions(
  content: Pick<Content, 'rows'>,
  userId: string,
  replied: StoredPost,
  { text, excluded }: { text: string; excluded: readonly string[] },
): Promise<string> {
  const [authors, mentioned] = await Promise.all([
    content.rows(users, ['id', 'username', 'username_key'], [replied.authorId]),
    content.rows(users, ['id', 'username', 'username_key'], mentionsIn(replied.text), 'username_key'),
  ])
  const passedOver = new Set([userId, ...excluded.map((id) => String(BigInt(id)))])
  const named = new Set(mentionsIn(text))
  const rows = [...authors, ...mentioned].filter(([id, , key]) => !passedOver.has(id as string) && !named.has(key as string))
  const usernames = [...new Set(rows.map(([, username]) => username as string))].slice(0, MOST_MENTIONS)
  return [...usernames.map((username) => `@${username}`), text].join(' ')
}
