import { anyUser } from '../../access/any-user.ts'
import { appOrUser } from '../../access/app-or-user.ts'
import { userWith } from '../../access/user-with.ts'
import { endpoint } from '../../api/declare/endpoint.ts'
import { forbidden } from '../../api/declare/problem.ts'
import { boolean, object, objectId } from '../../api/declare/words.ts'
import { pageParams } from '../../api/objects/page-token.ts'
import type { Ids } from '../../lib/ids.ts'
import type { Content, ItemList } from '../../storage/content.ts'
import { lists } from '../../storage/content-tables.ts'
import { assertSelf } from '../objects/assert-self.ts'
import { listOfUser } from '../objects/not-found.ts'
import { objectEndpoint, viewerOf } from '../objects/object-endpoint.ts'
import { type PageParams, pageOfItems } from '../objects/pages.ts'
import { keepActingUser } from '../posts/acting-user.ts'
import { listKinds, lockSeenList, READS_LISTS, WRITES_LISTS } from './seen-list.ts'

const ofUser = { id: objectId({ example: '101', description: 'The id of the user.' }) }

const read = {
  section: '§2.9',
  scopes: READS_LISTS,
  isList: true,
  isPaged: true,
  params: { ...ofUser, ...pageParams({ max: 100 }) },
} as const

type Caller = Parameters<typeof viewerOf>[0]

/** A page of the lists of a user, without the private lists of others. `name` ties its tokens to this kind of list. */
function pageOfLists(content: Content, name: string, list: ItemList, params: PageParams & { id: string }, caller: Caller) {
  const seen = { ...params, seenBy: { viewerId: viewerOf(caller) } }
  return listOfUser(content, params.id, pageOfItems(content, list, `${name}-${params.id}`, seen))
}

export const listOwnedLists = objectEndpoint(listKinds, {
  ...read,
  name: 'listOwnedLists',
  route: 'GET /2/users/:id/owned_lists',
  summary: 'List the lists of a user, newest first.',
  auth: appOrUser,
  rateLimit: 15,
  asked: ({ params, caller }, { content }) => pageOfLists(content, 'owned-lists', { of: 'lists', ownerId: params.id }, params, caller),
})

export const listListMemberships = objectEndpoint(listKinds, {
  ...read,
  name: 'listListMemberships',
  route: 'GET /2/users/:id/list_memberships',
  summary: 'List the lists that a user is a member of, the last joined first.',
  auth: appOrUser,
  rateLimit: 75,
  asked: ({ params, caller }, { content }) =>
    pageOfLists(content, 'list-memberships', { of: 'sources', relation: 'list_member', target: params.id }, params, caller),
})

export const listFollowedLists = objectEndpoint(listKinds, {
  ...read,
  name: 'listFollowedLists',
  route: 'GET /2/users/:id/followed_lists',
  summary: 'List the lists that a user follows, the last followed first.',
  auth: appOrUser,
  rateLimit: 15,
  asked: ({ params, caller }, { content }) =>
    pageOfLists(content, 'followed-lists', { of: 'targets', relation: 'list_follower', source: params.id }, params, caller),
})

export const listPinnedLists = objectEndpoint(listKinds, {
  ...read,
  name: 'listPinnedLists',
  route: 'GET /2/users/:id/pinned_lists',
  summary: 'List the lists that the authenticated user has pinned, the last pinned first.',
  auth: anyUser,
  rateLimit: 15,
  asked: ({ params, caller }, { content }) => {
    assertSelf(caller.user.id, params.id)
    return pageOfItems(content, { of: 'targets', relation: 'list_pin', source: params.id }, `pinned-lists-${params.id}`, params)
  },
})

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
