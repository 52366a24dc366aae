import { userWith } from '../../access/user-with.ts'
import { endpoint } from '../../api/declare/endpoint.ts'
import { invalidRequest } from '../../api/declare/problem.ts'
import { atLeastOneOf } from '../../api/declare/rules.ts'
import { commaList, object, objectId, oneOf } from '../../api/declare/words.ts'
import type { Content } from '../../storage/content.ts'
import { assertReceive } from './assert-receive.ts'
import { conversationId, conversationOf, otherOf, unknownConversation, WRITES_MESSAGES } from './conversation.ts'
import { type MessageServices, messageParams, newMessage, type SentMessage, storeMessage } from './new-message.ts'

const send = {
  section: '§5.7',
  auth: userWith('read_write_dm'),
  scopes: WRITES_MESSAGES,
  rateLimit: 15,
  success: 201,
  answer: object({ data: object({ dm_conversation_id: conversationId(), dm_event_id: objectId() }) }),
  problems: ['resource-not-found', 'not-found', 'forbidden'],
} as const

/** A group has so many users, the one who creates it among them. */
const MOST_PARTICIPANTS = 50

const sendOne = { ...send, rules: [atLeastOneOf('text', 'attachments')], example: { text: 'Hello' } } as const

/** Sends a message from one user to another. */
async function sendTo(recipient: string, sent: SentMessage, senderId: string, services: MessageServices, parameter: string) {
  const check = (reads: Parameters<typeof assertReceive>[0]) => assertReceive(reads, senderId, [recipient], parameter)
  await check(services.content)
  const message = await newMessage(sent, senderId, services)
  const conversationId = conversationOf(senderId, recipient)
  const participants = [...new Set([senderId, recipient])]
  await storeMessage({ conversationId, senderId, recipients: [recipient], participants, check }, message, services)
  return { data: { dm_conversation_id: conversationId, dm_event_id: message.id } }
}

export const sendMessageWith = endpoint({
  ...sendOne,
  name: 'sendMessageWith',
  route: 'POST /2/dm_conversations/with/:participant_id/messages',
  summary: 'Send a direct message to a user.',
  description:
    'A user receives the messages of those whom the user follows, or of everyone; nobody receives those of a user who is blocked. `dm.sent` is published about the sender, and `dm.received` about the user who receives it.',
  params: { participant_id: objectId({ example: '102' }), ...messageParams },
  handle: ({ params: { participant_id, ...sent }, caller: { user } }, services: MessageServices) =>
    sendTo(participant_id, sent, user.id, services, 'participant_id'),
})

/** Who takes part in a group. */
async function participantsOf(content: Content, conversation: string): Promise<string[]> {
  const items = await content.items({ of: 'targets', relation: 'dm_participant', source: conversation }, { limit: MOST_PARTICIPANTS })
  return items.map(({ key }) => key)
}

export const sendMessage = endpoint({
  ...sendOne,
  name: 'sendMessage',
  route: 'POST /2/dm_conversations/:dm_conversation_id/messages',
  summary: 'Send a direct message in a conversation that the authenticated user takes part in.',
  description: 'The conversation of two users need not exist yet.',
  params: { dm_conversation_id: conversationId(), ...messageParams },
  async handle({ params: { dm_conversation_id, ...sent }, caller: { user } }, services: MessageServices) {
    const recipient = otherOf(dm_conversation_id, user.id)
    if (recipient !== undefined) return sendTo(recipient, sent, user.id, services, 'dm_conversation_id')
    const check = async (reads: Parameters<typeof assertReceive>[0]) => {
      const mine = await reads.relationsOf(user.id, [dm_conversation_id], ['dm_participant'])
      if (mine.length === 0) throw unknownConversation('dm_conversation_id', dm_conversation_id)
    }
    await check(services.content)
    const message = await newMessage(sent, user.id, services)
    const recipients = await participantsOf(services.content, dm_conversation_id)
    const sending = { conversationId: dm_conversation_id, senderId: user.id, recipients, isGroup: true, participants: [], check } as const
    await storeMessage(sending, message, services)
    return { data: { dm_conversation_id, dm_event_id: message.id } }
  },
})

const wrong = (name: string, message: string) => invalidRequest([{ message: `$.${name}: ${message}`, parameters: { [name]: [] } }])

export const createConversation = endpoint({
  ...send,
  name: 'createConversation',
  route: 'POST /2/dm_conversations',
  summary: 'Create a conversation of a group, with its first message.',
  description: 'The authenticated user takes part besides the participants. The first event is `ParticipantsJoin` of all of them.',
  params: {
    conversation_type: oneOf(['Group']),
    participant_ids: commaList(objectId(), { min: 2, max: MOST_PARTICIPANTS - 1, example: ['101', '102'] }),
    message: object(messageParams, { example: { text: 'Hello' } }),
  },
  async handle({ params: { participant_ids, message: sent }, caller: { user } }, services: MessageServices) {
    const { content, ids, now } = services
    const others = participant_ids.filter((participant) => participant !== user.id)
    if (others.length < 2) throw wrong('participant_ids', 'must be at least 2 users besides the authenticated one')
    if (sent.text === undefined && sent.attachments === undefined)
      throw wrong('message', 'at least one of `text`, `attachments` is required')
    const check = (reads: Parameters<typeof assertReceive>[0]) => assertReceive(reads, user.id, others, 'participant_ids')
    await check(content)
    const conversation = ids.next()
    const participants = [user.id, ...others]
    const join = {
      id: ids.next(),
      event_type: 'ParticipantsJoin',
      sender_id: user.id,
      created_at_ms: now(),
      participant_ids: JSON.stringify(participants),
    }
    const message = await newMessage(sent, user.id, services)
    const sending = {
      conversationId: conversation,
      senderId: user.id,
      recipients: others,
      isGroup: true,
      participants,
      check,
      join,
    } as const
    await storeMessage(sending, message, services)
    return { data: { dm_conversation_id: conversation, dm_event_id: message.id } }
  },
})
