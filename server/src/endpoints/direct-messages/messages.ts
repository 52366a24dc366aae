import { userWith } from '../../access/user-with.ts'
import { endpoint } from '../../api/declare/endpoint.ts'
import { boolean, commaList, iso, object, objectId, oneOf, optional } from '../../api/declare/words.ts'
import { pageParams } from '../../api/objects/page-token.ts'
import type { Content } from '../../storage/content.ts'
import { messageTypes } from '../objects/direct-message.ts'
import type { ObjectServices } from '../objects/load-answer.ts'
import { objectEndpoint } from '../objects/object-endpoint.ts'
import { type PageParams, pageOfItems } from '../objects/pages.ts'
import {
  assertSeen,
  conversationId,
  conversationOf,
  messageKinds,
  otherOf,
  READS_MESSAGES,
  shownFromMs,
  unknownConversation,
} from './conversation.ts'
import type { MessageServices } from './new-message.ts'

const read = { section: '§2.9', auth: userWith('read_write_dm'), scopes: READS_MESSAGES, rateLimit: 15 } as const

const list = {
  ...read,
  isList: true,
  isPaged: true,
  description: 'The events of the last 30 days, except those that the authenticated user deleted.',
} as const

const page = {
  ...pageParams({ max: 100 }),
  event_types: optional(commaList(oneOf(messageTypes), { description: 'The types of events; by default all.' })),
}

type MessagePage = PageParams & { event_types?: string[] }

/** A page of the events that a user sees of one conversation, or of all. */
function pageOfEvents(userId: string, conversation: string | undefined, params: MessagePage, { content, now }: ObjectServices) {
  const { event_types: types = messageTypes, ...rest } = params
  const listName = `dm-events-${userId}-${conversation ?? 'all'}`
  const shown = { ...rest, start_time: iso(shownFromMs(now())) }
  return pageOfItems(content, { of: 'messages', userId, ...(conversation && { conversationId: conversation }), types }, listName, shown)
}

const takesPart = async (content: Content, userId: string, conversation: string) =>
  otherOf(conversation, userId) !== undefined || (await content.relationsOf(userId, [conversation], ['dm_participant'])).length > 0

export const listMessages = objectEndpoint(messageKinds, {
  ...list,
  name: 'listMessages',
  route: 'GET /2/dm_events',
  summary: 'List the events of all conversations of the authenticated user, newest first.',
  params: page,
  asked: ({ params, caller }, services) => pageOfEvents(caller.user.id, undefined, params, services),
})

export const getMessage = objectEndpoint(messageKinds, {
  ...read,
  name: 'getMessage',
  route: 'GET /2/dm_events/:event_id',
  summary: 'Get an event of a conversation of the authenticated user, of the last 30 days.',
  params: { event_id: objectId() },
  problems: ['not-found'],
  async asked({ params: { event_id: value }, caller: { user } }, { content, now }) {
    await assertSeen(content, value, user.id, now())
    return { values: [value], parameter: 'event_id', isList: false }
  },
})

export const deleteMessage = endpoint({
  name: 'deleteMessage',
  route: 'DELETE /2/dm_events/:event_id',
  section: '§2.9',
  summary: 'Delete an event for the authenticated user; other participants keep it.',
  auth: userWith('read_write_dm'),
  scopes: ['dm.read', 'dm.write'],
  rateLimit: 300,
  params: { event_id: objectId() },
  answer: object({ data: object({ deleted: boolean() }) }),
  problems: ['not-found'],
  async handle({ params: { event_id: value }, caller: { user } }, { content, ids, now }: MessageServices) {
    await assertSeen(content, value, user.id, now())
    await content.change((transaction) => transaction.relate({ relation: 'dm_deleted', source: user.id, target: value }, ids.next()))
    return { data: { deleted: true } }
  },
})

export const listConversationMessages = objectEndpoint(messageKinds, {
  ...list,
  name: 'listConversationMessages',
  route: 'GET /2/dm_conversations/:id/dm_events',
  summary: 'List the events of a conversation of the authenticated user, newest first.',
  params: { id: conversationId(), ...page },
  problems: ['not-found'],
  async asked({ params: { id, ...params }, caller: { user } }, services) {
    if (await takesPart(services.content, user.id, id)) return pageOfEvents(user.id, id, params, services)
    throw unknownConversation('id', id)
  },
})

export const listMessagesWith = objectEndpoint(messageKinds, {
  ...list,
  name: 'listMessagesWith',
  route: 'GET /2/dm_conversations/with/:participant_id/dm_events',
  summary: 'List the events of the conversation of the authenticated user with another one, newest first.',
  params: { participant_id: objectId({ example: '102' }), ...page },
  asked: ({ params: { participant_id, ...params }, caller: { user } }, services) =>
    pageOfEvents(user.id, conversationOf(user.id, participant_id), params, services),
})
