import { forbidden } from '../../api/declare/problem.ts'
import type { Content } from '../../storage/content.ts'
import { users } from '../../storage/content-tables.ts'
import { mentionsIn } from './new-post.ts'
import type { StoredPost } from './stored-post.ts'

const REFUSED = 'Reply to this conversation is not allowed: its author lets others reply, by `reply_settings`.'

/** Throws 403 for a user whom the author of a post does not let reply: those mentioned always may. */
export async function assertMayReply(content: Content, userId: string, { authorId, replySettings, text }: StoredPost): Promise<void> {
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
