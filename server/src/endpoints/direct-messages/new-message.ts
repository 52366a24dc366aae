import { invalidRequest } from '../../api/declare/problem.ts'
import { listOf, object, objectId, optional, type ParamsOf, text } from '../../api/declare/words.ts'
import type { Outbox } from '../../delivery/outbox.ts'
import type { Ids } from '../../lib/ids.ts'
import { DAY_MS } from '../../lib/time.ts'
import type { Content, ContentTransaction } from '../../storage/content.ts'
import { directMessages, media, userAccounts, users } from '../../storage/content-tables.ts'
import { KEY_PREFIXES } from '../media/categories.ts'
import { type UploadsByNow, unreadyUpload } from '../media/unready-upload.ts'
import { keepActingUser } from '../posts/acting-user.ts'
import { carriedMedia } from '../posts/attached-media.ts'
import { entitiesJson, mentionsIn } from '../posts/new-post.ts'
import { messageEvents } from './message-events.ts'

/** What a message is sent with. */
export const messageParams = {
  text: optional(text({ max: 10_000, example: 'Hello' })),
  attachments: optional(
    listOf(object({ media_id: objectId() }), { min: 1, max: 1, description: 'Media of the sender, uploaded in the last 24 hours.' }),
  ),
}

export type SentMessage = ParamsOf<typeof messageParams>

export interface MessageServices extends UploadsByNow {
  content: Content
  outbox: Outbox
  ids: Ids
}

/** For so long uploaded media may be attached. */
const ATTACHABLE_MS = DAY_MS

/** The key of attached media. Throws `invalid-request` for media that do not exist, are another user's or too old. */
async function mediaKeyOf(mediaId: string, senderId: string, services: MessageServices): Promise<string> {
  const { content, now } = services
  const keys = KEY_PREFIXES.map((prefix) => `${prefix}_${mediaId}`)
  const rows = await content.rows(media, ['media_key', 'owner_id', 'created_at_ms'], keys)
  const usable = rows.find(([, owner, createdAtMs]) => owner === senderId && (createdAtMs as number) > now() - ATTACHABLE_MS)
  if (usable) return usable[0] as string
  const unready = await unreadyUpload(senderId, [mediaId], services)
  const message = `$.attachments: must be media that the sender uploaded in the last 24 hours${unready}`
  throw invalidRequest([{ message, parameters: { attachments: [mediaId] } }])
}

/** The row of a message but its conversation. */
export async function newMessage(sent: SentMessage, senderId: string, services: MessageServices) {
  const { content, ids, now } = services
  const found = await content.rows(users, ['username_key', 'id'], mentionsIn(sent.text ?? ''), 'username_key')
  const mentioned = new Map(found.map(([key, id]) => [key as string, id as string]))
  const attached = sent.attachments?.[0]
  return {
    id: ids.next(),
    event_type: 'MessageCreate',
    sender_id: senderId,
    text: sent.text,
    created_at_ms: now(),
    entities: entitiesJson(sent.text ?? '', mentioned),
    media_keys: attached && JSON.stringify([await mediaKeyOf(attached.media_id, senderId, services)]),
  }
}

export type NewMessage = Awaited<ReturnType<typeof newMessage>>

/** Where a message goes. */
export interface Sending {
  conversationId: string
  senderId: string
  /** Who receives the message, besides the sender. */
  recipients: readonly string[]
  isGroup?: true
  /** Who begin to take part in the conversation, unless they do already; none for a group that exists. */
  participants: readonly string[]
  /** Throws if the message may not be sent; runs in the transaction that stores it. */
  check(transaction: ContentTransaction): Promise<void>
  /** The event with which a group begins. */
  join?: object
}

/** Stores a message in a conversation, and announces it to its sender and to those who receive it. */
export function storeMessage(
  { conversationId, senderId, recipients, isGroup, participants, check, join }: Sending,
  message: NewMessage,
  { outbox, ids }: MessageServices,
): Promise<void> {
  const events = messageEvents({ message, senderId, recipients, ...(isGroup && { groupId: conversationId }) })
  return outbox.change(events, async (transaction, announce) => {
    await keepActingUser(transaction, senderId)
    // In one order: two who write to each other for the first time do not wait for each other.
    const users = [...participants].sort()
    for (const user of users) await transaction.keep(userAccounts, user, ['id'])
    await check(transaction)
    for (const user of users) await transaction.relate({ relation: 'dm_participant', source: conversationId, target: user }, ids.next())
    if (join) await transaction.insert(directMessages, { ...join, conversation_id: conversationId })
    await transaction.insert(directMessages, { ...message, conversation_id: conversationId })
    if (message.media_keys) await transaction.relateAll(carriedMedia(conversationId, JSON.parse(message.media_keys), message.id))
    await announce(events)
  })
}
