import { forbidden } from '../../api/declare/problem.ts'
import { boolean } from '../../api/declare/words.ts'
import { READS_USERS } from '../users/user-kinds.ts'
import { relationEndpoints, relationSources } from './relation-endpoints.ts'
import { anotherUser } from './relation-target.ts'

const reads = ['follows.read', ...READS_USERS]
const page = { max: 1000, usual: 100 }

const SUSPENDED = 'You cannot follow a user who is suspended.'
const IS_BLOCKED = 'You have been blocked from following this account at the request of the user.'
const BLOCKS = 'You cannot follow a user whom you block. Unblock the user first.'

export const {
  create: followUser,
  remove: unfollowUser,
  list: listFollowing,
} = relationEndpoints({
  ...{ relation: 'follow', target: anotherUser, verb: 'follow', done: 'following', path: 'following' },
  scopes: { write: ['follows.write', ...READS_USERS], read: reads },
  removal: { user: 'source_user_id' },
  more: { words: { pending_follow: boolean() }, values: { pending_follow: false } },
  create: {
    ...{ name: 'followUser', summary: 'Follow a user.' },
    description:
      'A protected user is not followed: the answer is `pending_follow: true`, and nothing is stored, because no endpoint accepts such requests.',
  },
  remove: { name: 'unfollowUser', summary: 'Unfollow a user.' },
  list: { name: 'listFollowing', summary: 'List the users whom a user follows, the latest first.', rateLimit: 300, page },
  async before(transaction, { source, target }, followed) {
    if (followed.isSuspended) throw forbidden(SUSPENDED)
    if (await transaction.hasRelation({ relation: 'block', source: target, target: source })) throw forbidden(IS_BLOCKED)
    if (await transaction.hasRelation({ relation: 'block', source, target })) throw forbidden(BLOCKS)
    return followed.isProtected ? { following: false, pending_follow: true } : undefined
  },
})

export const listFollowers = relationSources('follow', anotherUser, {
  ...{ name: 'listFollowers', route: 'GET /2/users/:id/followers', scopes: reads, rateLimit: 300, page },
  summary: 'List the followers of a user, the latest first.',
})
