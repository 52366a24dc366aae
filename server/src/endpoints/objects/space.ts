import { boolean, integer, listOf, objectId, oneOf, text, timestamp } from '../../api/declare/words.ts'
import { dataObject } from '../../api/objects/data-object.ts'
import { refersToMany, refersToOne } from '../../api/objects/expansions.ts'
import { fieldsOf } from '../../api/objects/fields.ts'
import { spaces } from '../../storage/content-tables.ts'

const { stored } = fieldsOf(spaces)

const users = listOf(objectId({ example: '101' }))

/** A space: a live audio conversation (§2.9). */
export const Space = dataObject({
  kind: 'space',
  plural: 'spaces',
  title: 'space',
  schemaName: 'Space',
  resourceType: 'space',
  table: spaces,
  owner: 'creator_id',
  fields: {
    id: stored('id', text({ example: '1zqKVXPQhvZJB' }), { isDefault: true }),
    state: stored('state', oneOf(['live', 'scheduled', 'ended']), { isDefault: true }),
    created_at: stored('created_at_ms', timestamp()),
    creator_id: stored('creator_id', objectId({ example: '101' })),
    ended_at: stored('ended_at_ms', timestamp()),
    host_ids: stored('host_ids', users),
    invited_user_ids: stored('invited_user_ids', users),
    is_ticketed: stored('is_ticketed', boolean()),
    lang: stored('lang', text({ example: 'en' })),
    participant_count: stored('participant_count', integer({ min: 0 })),
    scheduled_start: stored('scheduled_start_ms', timestamp()),
    speaker_ids: stored('speaker_ids', users),
    started_at: stored('started_at_ms', timestamp()),
    subscriber_count: stored('subscriber_count', integer({ min: 0 })),
    title: stored('title', text()),
    topic_ids: stored('topic_ids', listOf(text())),
    updated_at: stored('updated_at_ms', timestamp()),
  },
  expansions: {
    creator_id: refersToOne('user', 'creator_id'),
    host_ids: refersToMany('user', 'host_ids'),
    invited_user_ids: refersToMany('user', 'invited_user_ids'),
    speaker_ids: refersToMany('user', 'speaker_ids'),
    topic_ids: refersToMany('topic', 'topic_ids'),
  },
})
