import { forbidden } from '../../api/declare/problem.ts'
import { boolean } from '../../api/declare/words.ts'
import type { ContentTransaction } from '../../storage/content.ts'
import { users } from '../../storage/content-tables.ts'
import { READS_USERS } from '../users/user-kinds.ts'
import { relationEndpoints, relationSources } from './relation-endpoints.ts'
import { anotherUser } from './relation-target.ts'

const reads = ['follows.read', ...READS_USERS]
const page = { max: 1000, usual: 100 }

const SUSPENDED = 'You cannot follow a user who is suspended.'
const IS_BLOCKED = 'You have been blocked from following this account at the request of the user.'
const BLOCKS = 'You cannot follow a user whom you block. Unblock the user first.'

/** Everybody may follow so many. Who has many followers may follow more: so many times their number (public practice). */
const FREE_FOLLOWS = 5000
const FOLLOWS_PER_FOLLOWER = 1.1

const TOO_MANY = `You are unable to follow more people at this time: with more than ${FREE_FOLLOWS} follows you may follow ${FOLLOWS_PER_FOLLOWER} times as many users as follow you.`

/** Throws 403 for a user who follows as many as allowed. Of two follows at once one may exceed that. */
async function assertMayFollowMore(transaction: ContentTransaction, userId: string) {
  const [user] = await transaction.rows(users, ['following_count', 'followers_count'], [userId])
  const [following, followers] = [Number(user?.[0]), Number(user?.[1])]
  if (following >= Math.max(FREE_FOLLOWS, Math.floor(followers * FOLLOWS_PER_FOLLOWER))) throw forbidden(TOO_MANY)
}

export const {
  create: followUser,
  remove: unfollowUser,
  list: listFollowing,
} = relationEndpoints({
  relation: 'follow',
  target: anotherUser,
  verb: 'follow',
  done: 'following',
  path: 'following',
  scopes: { write: ['follows.write', ...READS_USERS], read: reads },
  removal: { user: 'source_user_id' },
  more: { words: { pending_follow: boolean() }, values: { pending_follow: false } },
  create: {
    name: 'followUser',
    summary: 'Follow a user.',
    description:
      'A protected user is not followed: the answer is `pending_follow: true`, and nothing is stored, because no endpoint accepts such requests. A user follows up to 5000 others, or 1.1 times as many as follow the user.',
  },
  remove: { name: 'unfollowUser', summary: 'Unfollow a user.' },
  list: { name: 'listFollowing', summary: 'List the users whom a user follows, the latest first.', rateLimit: 300, page },
  async before(transaction, { source, target }, followed) {
    if (followed.isSuspended) throw forbidden(SUSPENDED)
    if (await transaction.hasRelation({ relation: 'block', source: target, target: source })) throw forbidden(IS_BLOCKED)
    if (await transaction.hasRelation({ relation: 'block', source, target })) throw forbidden(BLOCKS)
    if (followed.isProtected) return { following: false, pending_follow: true }
    await assertMayFollowMore(transaction, source)
    return undefined
  },
})

export const listFollowers = relationSources('follow', anotherUser, {
  name: 'listFollowers',
  route: 'GET /2/users/:id/followers',
  scopes: reads,
  rateLimit: 300,
  page,
  summary: 'List the followers of a user, the latest first.',
})

export const {
  create: muteUser,
  remove: unmuteUser,
  list: listMuting,
} = relationEndpoints({
  relation: 'mute',
  target: anotherUser,
  verb: 'mute',
  done: 'muting',
  path: 'muting',
  isPrivate: true,
  scopes: { write: ['mute.write', ...READS_USERS], read: ['mute.read', ...READS_USERS] },
  removal: { user: 'source_user_id' },
  create: { name: 'muteUser', summary: 'Mute a user.' },
  remove: { name: 'unmuteUser', summary: 'Unmute a user.' },
  list: {
    name: 'listMuting',
    rateLimit: 15,
    page: { max: 1000, usual: 100 },
    summary: 'List the users whom the authenticated user mutes, the latest first.',
  },
})

export const {
  create: blockUser,
  remove: unblockUser,
  list: listBlocking,
} = relationEndpoints({
  relation: 'block',
  target: anotherUser,
  verb: 'block',
  done: 'blocking',
  path: 'blocking',
  isPrivate: true,
  scopes: { write: ['block.write', ...READS_USERS], read: ['block.read', ...READS_USERS] },
  removal: { user: 'source_user_id' },
  create: {
    name: 'blockUser',
    summary: 'Block a user.',
    description:
      'Neither follows the other any longer. A blocked user does not see posts of the user, and cannot reply to, quote or like them. `block.block` is published for the user, and nothing of the follows that end.',
  },
  remove: { name: 'unblockUser', summary: 'Unblock a user.' },
  list: {
    name: 'listBlocking',
    rateLimit: 15,
    page: { max: 1000, usual: 100 },
    summary: 'List the users whom the authenticated user blocks, the latest first.',
  },
  ends: ({ source, target }) => [
    { relation: 'follow', source, target },
    { relation: 'follow', source: target, target: source },
  ],
})
