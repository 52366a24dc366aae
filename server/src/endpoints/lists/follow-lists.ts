import { userWith } from '../../access/user-with.ts'
import { endpoint } from '../../api/declare/endpoint.ts'
import { forbidden } from '../../api/declare/problem.ts'
import { boolean, object, objectId } from '../../api/declare/words.ts'
import type { Ids } from '../../lib/ids.ts'
import type { Content } from '../../storage/content.ts'
import { lists } from '../../storage/content-tables.ts'
import { assertSelf } from '../objects/assert-self.ts'
import { keepActingUser } from '../posts/acting-user.ts'
import { WRITES_LISTS } from './list-kinds.ts'
import { lockSeenList } from './seen-list.ts'

interface FollowServices {
  content: Content
  ids: Ids
}

const change = {
  section: '§2.9',
  auth: userWith('read_write'),
  scopes: WRITES_LISTS,
  rateLimit: 50,
  params: { id: objectId({ example: '101', description: 'The id of the authenticated user.' }), list_id: objectId() },
} as const

const following = object({ data: object({ following: boolean() }) })
const pinned = object({ data: object({ pinned: boolean() }) })

interface Change {
  userId: string
  listId: string
}

/** Relates a user to a list that the user sees. Throws 403 if the owner blocks the user. */
const add = (relation: 'list_follower' | 'list_pin', { userId, listId }: Change, { content, ids }: FollowServices) =>
  content.change(async (transaction) => {
    await keepActingUser(transaction, userId)
    const { ownerId } = await lockSeenList(transaction, listId, userId, 'list_id')
    if (await transaction.hasRelation({ relation: 'block', source: ownerId, target: userId }))
      throw forbidden('The owner of the list blocks you.')
    const isNew = await transaction.relate({ relation, source: userId, target: listId }, ids.next())
    if (isNew && relation === 'list_follower') transaction.count(lists, listId, 'follower_count', 1)
  })

const remove = (relation: 'list_follower' | 'list_pin', { userId, listId }: Change, { content }: FollowServices) =>
  content.change(async (transaction) => {
    await keepActingUser(transaction, userId)
    await lockSeenList(transaction, listId, userId, 'list_id')
    const isGone = await transaction.unrelate({ relation, source: userId, target: listId })
    if (isGone && relation === 'list_follower') transaction.count(lists, listId, 'follower_count', -1)
  })

export const followList = endpoint({
  ...change,
  name: 'followList',
  route: 'POST /2/users/:id/followed_lists',
  summary: 'Follow a list.',
  answer: following,
  problems: ['resource-not-found', 'forbidden'],
  async handle({ params: { id, list_id }, caller: { user } }, services: FollowServices) {
    assertSelf(user.id, id)
    await add('list_follower', { userId: id, listId: list_id }, services)
    return { data: { following: true } }
  },
})

export const unfollowList = endpoint({
  ...change,
  name: 'unfollowList',
  route: 'DELETE /2/users/:id/followed_lists/:list_id',
  summary: 'Unfollow a list.',
  answer: following,
  problems: ['resource-not-found'],
  async handle({ params: { id, list_id }, caller: { user } }, services: FollowServices) {
    assertSelf(user.id, id)
    await remove('list_follower', { userId: id, listId: list_id }, services)
    return { data: { following: false } }
  },
})

export const pinList = endpoint({
  ...change,
  name: 'pinList',
  route: 'POST /2/users/:id/pinned_lists',
  summary: 'Pin a list.',
  answer: pinned,
  problems: ['resource-not-found', 'forbidden'],
  async handle({ params: { id, list_id }, caller: { user } }, services: FollowServices) {
    assertSelf(user.id, id)
    await add('list_pin', { userId: id, listId: list_id }, services)
    return { data: { pinned: true } }
  },
})

export const unpinList = endpoint({
  ...change,
  name: 'unpinList',
  route: 'DELETE /2/users/:id/pinned_lists/:list_id',
  summary: 'Unpin a list.',
  answer: pinned,
  problems: ['resource-not-found'],
  async handle({ params: { id, list_id }, caller: { user } }, services: FollowServices) {
    assertSelf(user.id, id)
    await remove('list_pin', { userId: id, listId: list_id }, services)
    return { data: { pinned: false } }
  },
})
