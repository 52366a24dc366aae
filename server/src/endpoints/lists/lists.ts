import { appOrUser } from '../../access/app-or-user.ts'
import { userWith } from '../../access/user-with.ts'
import { endpoint } from '../../api/declare/endpoint.ts'
import { atLeastOneOf } from '../../api/declare/rules.ts'
import { boolean, defaulting, object, objectId, optional, text } from '../../api/declare/words.ts'
import { pageParams } from '../../api/objects/page-token.ts'
import type { Ids } from '../../lib/ids.ts'
import type { Content, ContentTransaction } from '../../storage/content.ts'
import { lists, users } from '../../storage/content-tables.ts'
import { objectEndpoint, viewerOf } from '../objects/object-endpoint.ts'
import { pageOfPosts } from '../objects/pages.ts'
import { keepActingUser } from '../posts/acting-user.ts'
import { postKinds } from '../posts/post-kinds.ts'
import { listKinds, lockOwnList, pageOfList, READS_LISTS, type StoredList, WRITES_LISTS } from './seen-list.ts'

const name = () => text({ max: 25, example: 'Astronomers' })
const description = () => text({ min: 0, max: 100 })

const write = { section: '§2.9', auth: userWith('read_write'), scopes: WRITES_LISTS, rateLimit: 300 } as const

interface WriteServices {
  content: Content
  ids: Ids
  now: () => number
}

export const createList = endpoint({
  ...write,
  name: 'createList',
  route: 'POST /2/lists',
  scopes: ['list.read', ...WRITES_LISTS],
  summary: 'Create a list.',
  params: { name: name(), description: defaulting(description(), ''), private: defaulting(boolean(), false) },
  answer: object({ data: object({ id: objectId(), name: name() }) }),
  async handle({ params, caller: { user } }, { content, ids, now }: WriteServices) {
    const list = { id: ids.next(), owner_id: user.id, ...params, created_at_ms: now(), member_count: 0, follower_count: 0 }
    await content.change(async (transaction) => {
      await keepActingUser(transaction, user.id)
      await transaction.insert(lists, list)
    })
    return { data: { id: list.id, name: list.name } }
  },
})

export const getList = objectEndpoint(listKinds, {
  name: 'getList',
  route: 'GET /2/lists/:id',
  section: '§2.9',
  summary: 'Get a list.',
  description: 'A private list exists for its owner alone.',
  auth: appOrUser,
  scopes: READS_LISTS,
  rateLimit: 75,
  params: { id: objectId() },
  asked: ({ params }) => ({ values: [params.id], parameter: 'id', isList: false }),
})

/** A member of a list is counted as listed if the list is public. */
const countListed = (transaction: ContentTransaction, members: readonly string[], by: 1 | -1) => {
  for (const member of members) transaction.count(users, member, 'listed_count', by)
}

/** Ends what a list is to everybody except its owner: nobody else follows or pins a private one. */
async function leaveToOwner(transaction: ContentTransaction, { id, ownerId }: StoredList, position: string) {
  for (const relation of ['list_follower', 'list_pin'] as const) {
    const ended = await transaction.unrelateAll(relation, 'target', id)
    const isOwners = ended.includes(ownerId)
    if (isOwners) await transaction.relate({ relation, source: ownerId, target: id }, position)
    if (relation === 'list_follower') transaction.count(lists, id, 'follower_count', (isOwners ? 1 : 0) - ended.length)
  }
}

/** Makes a list private or public. */
async function setPrivate(transaction: ContentTransaction, list: StoredList, isPrivate: boolean, position: string) {
  if (list.isPrivate === isPrivate) return
  countListed(transaction, await transaction.targetsOf('list_member', list.id), isPrivate ? -1 : 1)
  if (isPrivate) await leaveToOwner(transaction, list, position)
}

export const updateList = endpoint({
  ...write,
  name: 'updateList',
  route: 'PUT /2/lists/:id',
  summary: 'Update a list of the authenticated user. Omitted fields keep their values.',
  description: 'A list that becomes private loses its followers and pins, except those of its owner. `listed_count` counts public lists.',
  params: { id: objectId(), name: optional(name()), description: optional(description()), private: optional(boolean()) },
  rules: [atLeastOneOf('name', 'description', 'private')],
  answer: object({ data: object({ updated: boolean() }) }),
  problems: ['resource-not-found', 'forbidden'],
  example: { name: 'Astronomers' },
  async handle({ params: { id, ...changes }, caller: { user } }, { content, ids }: WriteServices) {
    await content.change(async (transaction) => {
      const list = await lockOwnList(transaction, id, user.id)
      await transaction.update(lists, id, changes)
      if (changes.private !== undefined) await setPrivate(transaction, list, changes.private, ids.next())
    })
    return { data: { updated: true } }
  },
})

export const deleteList = endpoint({
  ...write,
  name: 'deleteList',
  route: 'DELETE /2/lists/:id',
  summary: 'Delete a list of the authenticated user.',
  params: { id: objectId() },
  answer: object({ data: object({ deleted: boolean() }) }),
  problems: ['resource-not-found', 'forbidden'],
  async handle({ params, caller: { user } }, { content }: WriteServices) {
    await content.change(async (transaction) => {
      const { id, isPrivate } = await lockOwnList(transaction, params.id, user.id)
      await transaction.remove(lists, id)
      const members = await transaction.unrelateAll('list_member', 'source', id)
      if (!isPrivate) countListed(transaction, members, -1)
      await transaction.unrelateAll('list_follower', 'target', id)
      await transaction.unrelateAll('list_pin', 'target', id)
    })
    return { data: { deleted: true } }
  },
})

export const listListPosts = objectEndpoint(postKinds, {
  name: 'listListPosts',
  route: 'GET /2/lists/:id/posts',
  section: '§2.9',
  summary: 'List the posts of the members of a list, newest first.',
  auth: appOrUser,
  scopes: READS_LISTS,
  rateLimit: 900,
  isList: true,
  isPaged: true,
  params: { id: objectId(), ...pageParams({ max: 100 }) },
  asked: ({ params, caller, giveWay }, { content }) =>
    pageOfList(content, viewerOf(caller), params.id, () =>
      pageOfPosts(content, { of: 'list', listId: params.id }, `list-posts-${params.id}`, {
        ...params,
        seenBy: { viewerId: viewerOf(caller) },
        giveWay,
      }),
    ),
})
