import { Problem } from '../../api/declare/problem.ts'
import { matching } from '../../api/declare/words.ts'

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
