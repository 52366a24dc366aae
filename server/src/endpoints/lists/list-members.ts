import { appOrUser } from '../../access/app-or-user.ts'
import { userWith } from '../../access/user-with.ts'
import { endpoint } from '../../api/declare/endpoint.ts'
import { forbidden } from '../../api/declare/problem.ts'
import { boolean, object, objectId } from '../../api/declare/words.ts'
import { pageParams } from '../../api/objects/page-token.ts'
import type { Ids } from '../../lib/ids.ts'
import type { Content } from '../../storage/content.ts'
import { lists, userAccounts, users } from '../../storage/content-tables.ts'
import { unknownObject } from '../objects/not-found.ts'
import { objectEndpoint, viewerOf } from '../objects/object-endpoint.ts'
import { pageOfItems } from '../objects/pages.ts'
import { User } from '../objects/user.ts'
import { keepActingUser } from '../posts/acting-user.ts'
import { userKinds } from '../users/user-kinds.ts'
import { lockOwnList, pageOfList, READS_LISTS, WRITES_LISTS } from './seen-list.ts'

const usersOfList = {
  section: '§2.9',
  auth: appOrUser,
  scopes: READS_LISTS,
  isList: true,
  isPaged: true,
  params: { id: objectId(), ...pageParams({ max: 100 }) },
} as const

export const listListMembers = objectEndpoint(userKinds, {
  ...usersOfList,
  name: 'listListMembers',
  route: 'GET /2/lists/:id/members',
  summary: 'List the members of a list, newest first.',
  rateLimit: 900,
  asked: ({ params, caller }, { content }) =>
    pageOfList(content, viewerOf(caller), params.id, () =>
      pageOfItems(content, { of: 'targets', relation: 'list_member', source: params.id }, `list-members-${params.id}`, params),
    ),
})

export const listListFollowers = objectEndpoint(userKinds, {
  ...usersOfList,
  name: 'listListFollowers',
  route: 'GET /2/lists/:id/followers',
  summary: 'List the followers of a list, newest first.',
  rateLimit: 180,
  asked: ({ params, caller }, { content }) =>
    pageOfList(content, viewerOf(caller), params.id, () =>
      pageOfItems(content, { of: 'sources', relation: 'list_follower', target: params.id }, `list-followers-${params.id}`, params),
    ),
})

/** How many members a list may have (public practice). */
const MOST_MEMBERS = 5000

const changeMembers = { section: '§2.9', auth: userWith('read_write'), scopes: WRITES_LISTS, rateLimit: 300 } as const
const answer = object({ data: object({ is_member: boolean() }) })

/** Throws 404 for a user who does not exist, and 403 for one who is suspended or blocks the owner. */
async function assertMayBeListed(content: Pick<Content, 'rows' | 'relationsOf'>, ownerId: string, userId: string) {
  const [[user], blocks] = await Promise.all([
    content.rows(users, ['disabled'], [userId]),
    content.relationsOf(ownerId, [userId], ['block']),
  ])
  if (!user) throw unknownObject({ object: User, value: userId, parameter: 'user_id' })
  if (user[0]) throw forbidden('The user is suspended.')
  if (blocks.some(({ source }) => source === userId)) throw forbidden('The user blocks you.')
}

export const addListMember = endpoint({
  ...changeMembers,
  name: 'addListMember',
  route: 'POST /2/lists/:id/members',
  summary: 'Add a user to a list of the authenticated user.',
  description: `A list has up to ${MOST_MEMBERS} members.`,
  params: { id: objectId(), user_id: objectId({ example: '101' }) },
  answer,
  problems: ['resource-not-found', 'forbidden'],
  async handle({ params: { id, user_id }, caller: { user } }, { content, ids }: { content: Content; ids: Ids }) {
    await content.change(async (transaction) => {
      // Neither is removed before the list is locked, which their removal locks too.
      await keepActingUser(transaction, user.id)
      await transaction.keep(userAccounts, user_id, ['id'])
      const { isPrivate, memberCount } = await lockOwnList(transaction, id, user.id)
      await assertMayBeListed(transaction, user.id, user_id)
      if (!(await transaction.relate({ relation: 'list_member', source: id, target: user_id }, ids.next()))) return
      if (memberCount >= MOST_MEMBERS) throw forbidden(`The list has ${MOST_MEMBERS} members, the most that a list may have.`)
      transaction.count(lists, id, 'member_count', 1)
      if (!isPrivate) transaction.count(users, user_id, 'listed_count', 1)
    })
    return { data: { is_member: true } }
  },
})

export const removeListMember = endpoint({
  ...changeMembers,
  name: 'removeListMember',
  route: 'DELETE /2/lists/:id/members/:user_id',
  summary: 'Remove a user from a list of the authenticated user.',
  params: { id: objectId(), user_id: objectId({ example: '101' }) },
  answer,
  problems: ['resource-not-found', 'forbidden'],
  async handle({ params: { id, user_id }, caller: { user } }, { content }: { content: Content }) {
    await content.change(async (transaction) => {
      await transaction.keep(userAccounts, user_id, ['id'])
      const { isPrivate } = await lockOwnList(transaction, id, user.id)
      if (!(await transaction.unrelate({ relation: 'list_member', source: id, target: user_id }))) return
      transaction.count(lists, id, 'member_count', -1)
      if (!isPrivate) transaction.count(users, user_id, 'listed_count', -1)
    })
    return { data: { is_member: false } }
  },
})
