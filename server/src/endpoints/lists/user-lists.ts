import { anyUser } from '../../access/any-user.ts'
import { appOrUser } from '../../access/app-or-user.ts'
import { objectId } from '../../api/declare/words.ts'
import { pageParams } from '../../api/objects/page-token.ts'
import type { Content, ItemList } from '../../storage/content.ts'
import { assertSelf } from '../objects/assert-self.ts'
import { listOfUser } from '../objects/not-found.ts'
import { objectEndpoint, viewerOf } from '../objects/object-endpoint.ts'
import { type PageParams, pageOfItems } from '../objects/pages.ts'
import { listKinds, READS_LISTS } from './list-kinds.ts'

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
