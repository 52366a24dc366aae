import { signedUserWith } from '../../access/user-with.ts'
import { endpoint, NO_CONTENT } from '../../api/declare/endpoint.ts'
import { coded, Problem } from '../../api/declare/problem.ts'
import { object, objectId } from '../../api/declare/words.ts'
import type { Announcement, Outbox } from '../../delivery/outbox.ts'
import { oncePer } from '../../lib/lazy.ts'
import type { Content, ContentTransaction } from '../../storage/content.ts'
import type { Direction } from '../../storage/subscriptions.ts'
import { keepActingUser } from '../posts/acting-user.ts'
import { assertReceive, type Refuse } from './assert-receive.ts'
import { assertSeen, conversationOf } from './conversation.ts'
import { usersMap } from './message-events.ts'

interface SignalServices {
  content: Content
  outbox: Outbox
  now: () => number
}

interface Signal {
  senderId: string
  recipientId: string
  atMs: number
}

/**
 * An event for each of the two users of a conversation, in the form of the account activity API: no sample of the activity API is published.
 * Who types or reads has sent it.
 */
function signalled(eventType: string, list: string, { senderId, recipientId, atMs }: Signal, more: object = {}): Announcement[] {
  if (senderId === recipientId) return []
  const said = { created_timestamp: String(atMs), sender_id: senderId, target: { recipient_id: recipientId }, ...more }
  const payloadIn = oncePer(async (transaction: ContentTransaction) => ({
    [list]: [said],
    users: await usersMap(transaction, [senderId, recipientId], atMs),
  }))
  const side = (userId: string, direction: Direction): Announcement => ({
    eventType,
    userId,
    say: async (transaction) => ({ payload: await payloadIn(transaction), direction }),
  })
  return [side(senderId, 'sent'), side(recipientId, 'received')]
}

/** Tells both users; nothing is stored. Whom `refuse` refuses tells nobody. */
async function signal(announcements: Announcement[], { senderId, recipientId }: Signal, refuse: Refuse, services: SignalServices) {
  const check = (reads: Parameters<typeof assertReceive>[0]) => assertReceive(reads, senderId, [recipientId], 'recipient_id', refuse)
  await check(services.content)
  await services.outbox.announce(announcements, async (transaction) => {
    await keepActingUser(transaction, senderId)
    await check(transaction)
  })
  return {}
}

const refuseTyping: Refuse = (reason) => coded(reason === 'closed' ? 150 : 349)

/** What was received may be read, whoever may answer. */
const refuseReading: Refuse = (reason) => (reason === 'blocked' ? coded(349) : undefined)

const common = {
  section: '§6',
  auth: signedUserWith('read_write_dm'),
  rateLimit: 1000,
  success: NO_CONTENT,
  answer: object({}),
  problems: ['resource-not-found', 'forbidden'],
} as const

const recipient = () => objectId({ example: '102', description: 'The other user of the conversation.' })

export const indicateTyping = endpoint({
  ...common,
  name: 'indicateTyping',
  route: 'POST /1.1/direct_messages/indicate_typing',
  summary: 'Show another user that the authenticated user is typing a direct message.',
  description:
    '`dm.indicate_typing` is published about both users. Nothing is stored. Code 150 is for a recipient who does not receive messages of the user, 349 for a block.',
  params: { recipient_id: recipient() },
  handle({ params: { recipient_id: recipientId }, caller: { user } }, services: SignalServices) {
    const typing = { senderId: user.id, recipientId, atMs: services.now() }
    const events = signalled('dm.indicate_typing', 'direct_message_indicate_typing_events', typing)
    return signal(events, typing, refuseTyping, services)
  },
})

const NOT_WITH = 'Sorry, that event is not of the conversation with recipient_id.'

export const markRead = endpoint({
  ...common,
  name: 'markRead',
  route: 'POST /1.1/direct_messages/mark_read',
  summary: 'Show another user that the authenticated user has read the conversation up to an event.',
  description:
    '`dm.read` is published about both users. Nothing is stored. Code 349 is for a block; who receives no messages of the user is told nevertheless.',
  problems: [...common.problems, 'not-found'],
  params: { last_read_event_id: objectId({ description: 'The last event that was read.' }), recipient_id: recipient() },
  async handle({ params: { last_read_event_id, recipient_id: recipientId }, caller: { user } }, services: SignalServices) {
    const reading = { senderId: user.id, recipientId, atMs: services.now() }
    const conversation = await assertSeen(services.content, last_read_event_id, user.id, reading.atMs)
    if (conversation !== conversationOf(user.id, recipientId)) throw new Problem('not-found', { detail: NOT_WITH })
    const read = signalled('dm.read', 'direct_message_mark_read_events', reading, { last_read_event_id })
    return signal(read, reading, refuseReading, services)
  },
})
