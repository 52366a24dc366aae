import { anyObject, boolean, integer, listOf, objectId, oneOf, text, timestamp } from '../../api/declare/words.ts'
import { dataObject, type ObjectField } from '../../api/objects/data-object.ts'
import { refersInJson, refersToOne } from '../../api/objects/expansions.ts'
import { computedOnly, fieldsOf } from '../../api/objects/fields.ts'
import { users } from '../../storage/content-tables.ts'
import { entitiesSchema } from './post.ts'

const { stored, counts, rare } = fieldsOf(users)

/** How the viewer and a user are connected, in the order in which they are listed. */
const CONNECTIONS = [
  ['follow', 'viewer', 'following'],
  ['follow', 'user', 'followed_by'],
  ['block', 'viewer', 'blocking'],
  ['mute', 'viewer', 'muting'],
] as const

const connectionStatus: ObjectField = {
  word: listOf(oneOf(CONNECTIONS.map(([, , name]) => name))),
  columns: ['id'],
  only: 'user',
  needsRelations: true,
  compile(placeOf) {
    const place = placeOf('id')
    return (row, { viewerId, relations }) => {
      const userId = row[place]
      const found = CONNECTIONS.filter(([relation, from]) =>
        relations.has(from === 'viewer' ? `${relation}:${viewerId}:${userId}` : `${relation}:${userId}:${viewerId}`),
      )
      return found.length > 0 ? JSON.stringify(found.map(([, , name]) => name)) : undefined
    }
  },
}

/** Direct messages reach a user who receives those of everybody, or who follows the sender. */
const receivesYourDm: ObjectField = {
  word: boolean(),
  columns: ['id', 'receives_dms'],
  only: 'user',
  needsRelations: true,
  read: (value: boolean) => ({ receives_dms: value }),
  compile(placeOf) {
    const [id, receives] = [placeOf('id'), placeOf('receives_dms')]
    return (row, { viewerId, relations }) => {
      const isBlocked = relations.has(`block:${row[id]}:${viewerId}`)
      return String(!isBlocked && (Boolean(row[receives]) || relations.has(`follow:${row[id]}:${viewerId}`)))
    }
  },
}

/** The users that an affiliation names. */
const affiliated = refersInJson('user', { column: 'more', member: 'affiliation' }, ({ user_id }: { user_id?: string[] }) => user_id ?? [])

/** A user (§2.9). */
export const User = dataObject({
  kind: 'user',
  plural: 'users',
  title: 'user',
  schemaName: 'User',
  resourceType: 'user',
  table: users,
  owner: 'id',
  fields: {
    id: stored('id', objectId({ example: '101' }), { isDefault: true }),
    name: stored('name', text(), { isDefault: true }),
    username: stored('username', text(), { isDefault: true }),
    affiliation: rare('affiliation', anyObject()),
    confirmed_email: { ...rare('confirmed_email', text()), only: 'owner', scope: 'users.email' },
    connection_status: connectionStatus,
    created_at: stored('created_at_ms', timestamp()),
    description: stored('description', text({ min: 0 })),
    entities: computedOnly(stored('entities', entitiesSchema)),
    is_identity_verified: rare('is_identity_verified', boolean()),
    location: stored('location', text()),
    most_recent_post_id: computedOnly(stored('most_recent_post_id', objectId())),
    parody: rare('parody', boolean()),
    pinned_post_id: stored('pinned_post_id', objectId()),
    profile_banner_url: stored('profile_banner_url', text()),
    profile_image_url: stored('profile_image_url', text()),
    protected: stored('protected', boolean()),
    public_metrics: counts({
      followers_count: 'followers_count',
      following_count: 'following_count',
      post_count: 'post_count',
      listed_count: 'listed_count',
      like_count: 'like_count',
      media_count: 'media_count',
    }),
    receives_your_dm: receivesYourDm,
    subscribes_to_you: { ...rare('subscribes_to_you', boolean()), only: 'user' },
    subscription: rare('subscription', anyObject()),
    subscription_type: rare('subscription_type', text()),
    url: stored('url', text()),
    verified: stored('verified', boolean()),
    verified_followers_count: rare('verified_followers_count', integer({ min: 0 })),
    verified_type: stored('verified_type', text({ example: 'none' })),
    withheld: rare('withheld', anyObject()),
  },
  expansions: {
    affiliation: affiliated,
    'affiliation.user_id': affiliated,
    most_recent_post_id: refersToOne('post', 'most_recent_post_id', 'most_recent_post_id'),
    pinned_post_id: refersToOne('post', 'pinned_post_id', 'pinned_post_id'),
  },
})
