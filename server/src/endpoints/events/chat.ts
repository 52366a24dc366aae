import { object, objectId, optional, text } from '../../api/declare/words.ts'
import { type Cast, type EventPayload, payloadsOf } from './event-payload.ts'

const signature = object({
  public_key_version: optional(text()),
  signature: text({ min: 0 }),
  signature_version: optional(text()),
  signing_public_key: optional(text()),
})

const chat = object({
  id: text({ description: 'A UUID.' }),
  conversation_id: text({ example: '101:102', description: 'The ids of two users, or the id of a group.' }),
  sender_id: objectId({ example: '101' }),
  encoded_event: text({ min: 0, description: 'What happened, encrypted for the members.' }),
  conversation_token: optional(text()),
  created_at_msec: optional(text({ description: 'Milliseconds since 1970.' })),
  conversation_key_version: optional(text()),
  conversation_key_change_event: optional(text({ min: 0 })),
  message_event_signature: optional(signature),
})

const example = ({ source, target, id, atMs }: Cast) => ({
  payload: {
    id: `00000000-0000-4000-8000-${id.slice(-12).padStart(12, '0')}`,
    conversation_token: 'dG9rZW4',
    conversation_id: `${source.id}:${target.id}`,
    sender_id: source.id,
    created_at_msec: String(atMs),
    conversation_key_version: '1',
    encoded_event: 'ZW5jcnlwdGVk',
    conversation_key_change_event: '',
    message_event_signature: { public_key_version: '1', signature: 'c2lnbmVk', signature_version: '4', signing_public_key: 'a2V5' },
  },
})

const received: EventPayload = { payload: chat, subject: 'target', example }
const sent: EventPayload = { payload: chat, subject: 'source', sourceAt: 'payload.sender_id', example }

/** Changes of a conversation are about any member of it. */
const changed: EventPayload = {
  payload: chat,
  subject: 'either' as const,
  example,
  byAnalogy: 'No sample is published: it is that of `chat.received`.',
}

/** Encrypted conversations (§6.8). */
export const chatPayloads = payloadsOf({
  'chat.received': received,
  'chat.sent': sent,
  'chat.conversation_join': changed,
  'chat.conversation.member_added': changed,
  'chat.conversation.member_removed': changed,
  'chat.conversation.admin_added': changed,
  'chat.conversation.admin_removed': changed,
  'chat.update.group_name': changed,
  'chat.update.restrictions': changed,
})
