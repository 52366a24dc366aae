import { Problem } from '../../api/declare/problem.ts'
import { matching } from '../../api/declare/words.ts'
import { DAY_MS } from '../../lib/time.ts'
import type { Content } from '../../storage/content.ts'
import { directMessages } from '../../storage/content-tables.ts'
import { DirectMessage } from '../objects/direct-message.ts'
import { Media } from '../objects/media.ts'
import { Post } from '../objects/post.ts'
import { User } from '../objects/user.ts'

/** The objects of answers about direct messages. */
export const messageKinds = [DirectMessage, Media, User, Post] as const

/** The scopes of a user's token that reads direct messages. */
export const READS_MESSAGES = ['dm.read', 'post.read', 'users.read'] as const

/** The scopes of a user's token that sends or deletes direct messages. */
export const WRITES_MESSAGES = ['dm.write', 'post.read', 'users.read'] as const

/** The id of a conversation: of two users the smaller and the larger id, of a group a number (§2.9). */
export const conversationId = () =>
  matching('^([0-9]{1,19}-[0-9]{1,19}|[0-9]{15,19})$', { example: '101-102', mustBe: 'the id of a conversation, like 101-102' })

/** 404 for a conversation that does not exist, and for one of others. The enumeration of `resource_type` (§7) has no value for it. */
export const unknownConversation = (parameter: string, id: string): Problem =>
  new Problem('not-found', { detail: `Could not find a conversation with ${parameter}: [${id}].` })

/** The conversation of two users. */
export const conversationOf = (one: string, other: string): string => (BigInt(one) < BigInt(other) ? `${one}-${other}` : `${other}-${one}`)

/** Whom a user talks to in a conversation of two; undefined for a group, and for the conversation of others. */
export function otherOf(conversation: string, userId: string): string | undefined {
  const [one, other] = conversation.split('-')
  if (one === undefined || other === undefined || conversationOf(one, other) !== conversation) return undefined
  if (one === userId) return other
  return other === userId ? one : undefined
}

/** Events are shown for so long (§2.9). */
const SHOWN_MS = 30 * DAY_MS

/** Events from this time on are shown. */
export const shownFromMs = (nowMs: number): number => nowMs - SHOWN_MS

/** 404 for an event that is not shown to a user. The enumeration of `resource_type` (§7) has no value for it. */
const unknownEvent = (id: string) => new Problem('not-found', { detail: `Could not find an event with event_id: [${id}].` })

/** The conversation of an event. Throws 404 unless the event is shown to a user: one of the last 30 days, in a conversation of the user, and not deleted by the user. */
export async function assertSeen(content: Content, eventId: string, userId: string, nowMs: number): Promise<string> {
  const [row] = await content.rows(directMessages, ['conversation_id', 'created_at_ms'], [eventId])
  if (!row || (row[1] as number) < shownFromMs(nowMs)) throw unknownEvent(eventId)
  const pairs = await content.relationsOf(userId, [row[0] as string, eventId], ['dm_participant', 'dm_deleted'])
  if (pairs.length !== 1 || pairs[0]!.relation !== 'dm_participant') throw unknownEvent(eventId)
  return row[0] as string
}
