import type { Announcement } from '../../delivery/outbox.ts'
import { oncePer } from '../../lib/lazy.ts'
import type { ContentTransaction } from '../../storage/content.ts'
import { media, users } from '../../storage/content-tables.ts'
import { publicUsers } from '../objects/public-objects.ts'
import { type AttachedMedia, mediaEntity, type StoredEntities, v1EntitiesOf } from '../objects/v1-entities.ts'

/** What of a stored message its events say. */
interface Message {
  id: string
  text?: string
  created_at_ms: number
  entities: string | null
  media_keys?: string
}

/** A message that is stored, and who receives it. */
interface Delivered {
  message: Message
  senderId: string
  recipients: readonly string[]
  /** Set for a group. */
  groupId?: string
}

type Reads = Pick<ContentTransaction, 'rows'>

const parsed = <T>(json: string | null | undefined): T | undefined => (json ? (JSON.parse(json) as T) : undefined)

/** The media of a message in the v1.1 form; they stand behind its text. */
async function attachmentOf({ media_keys, text = '' }: Message, reads: Reads) {
  const rows = await reads.rows(media, ['media_key', 'type', 'url', 'preview_image_url'], parsed<string[]>(media_keys) ?? [])
  const [attached] = rows.map(([key, type, url, previewUrl]) => ({ key, type, url, previewUrl }) as AttachedMedia)
  return attached && { type: 'media', media: mediaEntity(attached, [...text].length) }
}

/** What a message says, in the v1.1 form that its events have (§6.8). */
async function messageData(message: Message, reads: Reads) {
  const { text = '' } = message
  const entities = parsed<StoredEntities>(message.entities) ?? {}
  const mentioned = (entities.mentions ?? []).flatMap(({ id }) => id ?? [])
  const names = new Map((await reads.rows(users, ['id', 'name'], mentioned)).map(([id, name]) => [id as string, name as string]))
  const attachment = await attachmentOf(message, reads)
  return { text, entities: v1EntitiesOf(entities, { end: [...text].length, names, media: [] }), ...(attachment && { attachment }) }
}

/** The users of an event, by id. */
export async function usersMap(transaction: ContentTransaction, ids: readonly string[], nowMs: number) {
  const found = await publicUsers(transaction, ids, nowMs)
  return Object.fromEntries([...found].map(([id, data]) => [id, { data }]))
}

/** Who receives a message of a group when it is stored: who takes part, is not suspended and does not block the sender. */
async function receiversOf(groupId: string, senderId: string, others: readonly string[], transaction: ContentTransaction) {
  const rows = await transaction.rows(users, ['id', 'disabled'], others)
  const active = rows.flatMap(([id, disabled]) => (disabled ? [] : [id as string]))
  const members = await transaction.relationsOf(groupId, active, ['dm_participant'])
  const blocks = await transaction.relationsOf(senderId, active, ['block'])
  const blocking = new Set(blocks.flatMap(({ source, target }) => (target === senderId ? [source] : [])))
  return new Set(members.flatMap(({ target }) => (blocking.has(target) ? [] : [target])))
}

/**
 * The events of a message: one for its sender, and one for each who receives it. Who writes to oneself has only sent. The payload has no place for
 * a conversation: what is sent to a group names the group as the recipient.
 */
export function messageEvents({ message, senderId, recipients, groupId }: Delivered): Announcement[] {
  const others = recipients.filter((id) => id !== senderId)
  const receivers = oncePer((transaction: ContentTransaction) => receiversOf(groupId!, senderId, others, transaction))
  const event = (eventType: string, userId: string, recipientId: string, shown: readonly string[]): Announcement => ({
    eventType,
    userId,
    async say(transaction) {
      if (groupId !== undefined && userId !== senderId && !(await receivers(transaction)).has(userId)) return undefined
      const create = {
        target: { recipient_id: recipientId },
        sender_id: senderId,
        message_data: await messageData(message, transaction),
      }
      const { id, created_at_ms } = message
      const said = { type: 'message_create', id, created_timestamp: String(created_at_ms), message_create: create }
      return { payload: { direct_message_events: [said], users: await usersMap(transaction, [...new Set(shown)], created_at_ms) } }
    },
  })
  return [
    event('dm.sent', senderId, groupId ?? others[0] ?? senderId, [senderId, ...others]),
    ...others.map((id) => event('dm.received', id, id, [senderId, id])),
  ]
}
