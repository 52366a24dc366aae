import { forbidden } from '../../api/declare/problem.ts'
import type { Content } from '../../storage/content.ts'
import { users } from '../../storage/content-tables.ts'
import { mentionsIn } from './new-post.ts'
import { type StoredPost, storedPost } from './stored-post.ts'

const REFUSED = 'Reply to this conversation is not allowed: its author lets others reply, by `reply_settings`.'

/**
 * Throws 403 for a user whom the author of a conversation does not let reply: its first post governs all replies (public practice). If that is
 * gone, the post that is replied to does. Those mentioned always may.
 */
export async function assertMayReply(content: Pick<Content, 'rows' | 'relationsOf'>, userId: string, replied: StoredPost): Promise<void> {
  const first = replied.conversationId === replied.id ? undefined : await storedPost(content, replied.conversationId)
  const { authorId, replySettings, text } = first ?? replied
  if (userId === authorId || replySettings === 'everyone') return
  const [[user], pairs] = await Promise.all([
    content.rows(users, ['username_key', 'verified'], [userId]),
    content.relationsOf(userId, [authorId], ['follow']),
  ])
  if (mentionsIn(text).includes(String(user?.[0]))) return
  const isFollowed = pairs.some(({ source }) => source === authorId)
  if (replySettings === 'following' && isFollowed) return
  if (replySettings === 'verified' && user?.[1]) return
  throw forbidden(REFUSED)
}
