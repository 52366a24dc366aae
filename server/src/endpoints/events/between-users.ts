import { iso, matching, object, objectId, text } from '../../api/declare/words.ts'
import { includesSchema } from '../../api/objects/data-object.ts'
import { Post } from '../objects/post.ts'
import { User } from '../objects/user.ts'
import { type EventPayload, payloadsOf } from './event-payload.ts'
import { userObject, wrapped, wrappedUser } from './person.ts'

const NO_SAMPLE_OF_RELATION = 'No sample is published: it is that of `follow.follow`.'

const between = (more: Pick<EventPayload, 'subject' | 'byAnalogy'>): EventPayload => ({
  payload: object({ source: wrappedUser, target: wrappedUser }),
  sourceAt: 'payload.source.data.id',
  targetAt: 'payload.target.data.id',
  ...more,
  example: ({ source, target }) => ({ payload: { source: wrapped(source), target: wrapped(target) } }),
})

const follow = between({ subject: 'either' })
const relation = between({ subject: 'source', byAnalogy: NO_SAMPLE_OF_RELATION })

/** What a user does to another (§6.8). */
export const userPayloads = payloadsOf({
  'follow.follow': follow,
  'follow.unfollow': follow,
  'mute.mute': relation,
  'mute.unmute': relation,
  'block.block': relation,
  'block.unblock': relation,
  'like.create': {
    payload: object({
      id: text({ description: 'The id of the like.' }),
      liked_post_id: objectId(),
      liked_post_author_id: objectId({ example: '101' }),
      created_at: text({ description: 'A time in ISO 8601.' }),
      timestamp_ms: matching('^[0-9]{1,19}$', { description: 'The same time, in milliseconds since 1970.', mustBe: 'digits' }),
    }),
    includes: includesSchema([User, Post]),
    subject: 'either',
    targetAt: 'payload.liked_post_author_id',
    example: ({ source, target, id, atMs }) => ({
      payload: {
        id,
        liked_post_id: '2234209271808086016',
        liked_post_author_id: target.id,
        created_at: iso(atMs),
        timestamp_ms: String(atMs),
      },
      includes: { users: [userObject(source), userObject(target)] },
    }),
  },
})
