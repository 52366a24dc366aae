import { signedUserWith } from '../../access/user-with.ts'
import { endpoint, NO_CONTENT } from '../../api/declare/endpoint.ts'
import { coded, Problem } from '../../api/declare/problem.ts'
import { object, objectId } from '../../api/declare/words.ts'
import type { Announcement, Outbox } from '../../delivery/outbox.ts'
import type { Content } from '../../storage/content.ts'
import { assertReceive } from './assert-receive.ts'
import { conversationOf } from './conversation.ts'
import { usersMap } from './message-events.ts'
import { assertSeen } from './seen-event.ts'

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

/** An event about the other user of a conversation, in the form of the account activity API: no sample of the activity API is published. */
const signalled = (eventType: string, list: string, { senderId, recipientId, atMs }: Signal, more: object = {}): Announcement => ({
  ...{ eventType, userId: recipientId },
  async say(transaction) {
    const said = { created_timestamp: String(atMs), sender_id: senderId, target: { recipient_id: recipientId }, ...more }
    const users = await usersMap(transaction, [...new Set([senderId, recipientId])], atMs)
    return { payload: { [list]: [said], users }, direction: 'received' }
  },
})

/** Tells the other user; nothing is stored. Who does not receive messages of the user learns nothing, and the user gets code 349. */
async function signal(announcement: Announcement, { senderId, recipientId }: Signal, { content, outbox }: SignalServices) {
  await assertReceive(content, senderId, [recipientId], 'recipient_id').catch((error) => {
    throw error instanceof Problem && error.kind === 'forbidden' ? coded(349) : error
  })
  const announcements = senderId === recipientId ? [] : [announcement]
  await outbox.change(announcements, (_, announce) => announce(announcements))
  return {}
}

const common = {
  ...{ section: '§6', auth: signedUserWith('read_write_dm'), rateLimit: 1000, success: NO_CONTENT },
  answer: object({}),
  problems: ['resource-not-found', 'forbidden'],
} as const

const recipient = () => objectId({ example: '102', description: 'The other user of the conversation.' })

export const indicateTyping = endpoint({
  ...common,
  name: 'indicateTyping',
  route: 'POST /1.1/direct_messages/indicate_typing',
  summary: 'Show another user that the authenticated user is typing a direct message.',
  description: '`dm.indicate_typing` is published about the recipient. Nothing is stored.',
  params: { recipient_id: recipient() },
  handle({ params: { recipient_id: recipientId }, caller: { user } }, services: SignalServices) {
    const typing = { senderId: user.id, recipientId, atMs: services.now() }
    return signal(signalled('dm.indicate_typing', 'direct_message_indicate_typing_events', typing), typing, services)
  },
})

const NOT_WITH = 'Sorry, that event is not of the conversation with recipient_id.'

export const markRead = endpoint({
  ...common,
  name: 'markRead',
  route: 'POST /1.1/direct_messages/mark_read',
  summary: 'Show another user that the authenticated user has read the conversation up to an event.',
  description: '`dm.read` is published about the recipient, whose messages were read. Nothing is stored.',
  problems: [...common.problems, 'not-found'],
  params: { last_read_event_id: objectId({ description: 'The last event that was read.' }), recipient_id: recipient() },
  async handle({ params: { last_read_event_id, recipient_id: recipientId }, caller: { user } }, services: SignalServices) {
    const reading = { senderId: user.id, recipientId, atMs: services.now() }
    const conversation = await assertSeen(services.content, last_read_event_id, user.id, reading.atMs)
    if (conversation !== conversationOf(user.id, recipientId)) throw new Problem('not-found', { detail: NOT_WITH })
    const read = signalled('dm.read', 'direct_message_mark_read_events', reading, { last_read_event_id })
    return signal(read, reading, services)
  },
})
