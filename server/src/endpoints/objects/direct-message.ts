import { listOf, object, objectId, oneOf, optional, text, timestamp } from '../../api/declare/words.ts'
import { dataObject, type ObjectField } from '../../api/objects/data-object.ts'
import { refersToMany, refersToOne } from '../../api/objects/expansions.ts'
import { computedOnly, fieldsOf } from '../../api/objects/fields.ts'
import { directMessages } from '../../storage/content-tables.ts'
import { entitiesSchema } from './post.ts'

const { stored } = fieldsOf(directMessages)

const attachments: ObjectField = {
  word: object({ media_keys: optional(listOf(text())) }),
  columns: ['media_keys'],
  read: ({ media_keys }: { media_keys?: string[] }) => (media_keys ? { media_keys } : {}),
  compile(placeOf) {
    const place = placeOf('media_keys')
    return (row) => (row[place] ? `{"media_keys":${row[place]}}` : undefined)
  },
}

const referencedPosts: ObjectField = {
  word: listOf(object({ id: objectId() })),
  columns: ['referenced_post_id'],
  read: ([first]: { id: string }[]) => (first ? { referenced_post_id: String(BigInt(first.id)) } : {}),
  compile(placeOf) {
    const place = placeOf('referenced_post_id')
    return (row) => (row[place] === null ? undefined : `[{"id":"${row[place]}"}]`)
  },
}

export const messageTypes = ['MessageCreate', 'ParticipantsJoin', 'ParticipantsLeave'] as const

const referenced = refersToOne('post', 'referenced_post_id', 'referenced_posts')

/** An event of a conversation of direct messages (§2.9). */
export const DirectMessage = dataObject({
  kind: 'dm_event',
  plural: 'dm_events',
  title: 'dm_event',
  schemaName: 'DirectMessage',
  resourceType: 'dm_event',
  table: directMessages,
  fields: {
    id: stored('id', objectId(), { isDefault: true }),
    event_type: stored('event_type', oneOf(messageTypes), { isDefault: true }),
    text: stored('text', text(), { isDefault: 'where present' }),
    attachments,
    created_at: stored('created_at_ms', timestamp()),
    dm_conversation_id: stored('conversation_id', text({ example: '101-102' })),
    entities: computedOnly(stored('entities', entitiesSchema)),
    participant_ids: stored('participant_ids', listOf(objectId({ example: '101' }))),
    referenced_posts: referencedPosts,
    sender_id: stored('sender_id', objectId({ example: '101' })),
  },
  expansions: {
    'attachments.media_keys': refersToMany('media', 'media_keys', 'attachments'),
    participant_ids: refersToMany('user', 'participant_ids', 'participant_ids'),
    referenced_posts: referenced,
    'referenced_posts.id': referenced,
    sender_id: refersToOne('user', 'sender_id', 'sender_id'),
  },
})
