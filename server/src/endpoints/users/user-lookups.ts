import { anyUser } from '../../access/any-user.ts'
import { appOrUser } from '../../access/app-or-user.ts'
import type { Rule } from '../../api/declare/rules.ts'
import { commaList, objectId } from '../../api/declare/words.ts'
import { objectEndpoint } from '../objects/object-endpoint.ts'
import { READS_USERS, userKinds } from './user-kinds.ts'
import { username } from './username.ts'

const lookup = { section: '§2.9', auth: appOrUser, scopes: READS_USERS, rateLimit: 900 } as const

/** Usernames are found in whichever case. */
const byUsername = { by: 'username_key', keyOf: (name: string) => name.toLowerCase() }

/** A list that has the same item twice is refused, and usernames that differ in case alone are the same. */
const eachOnce: Rule = {
  message: '`usernames` must not have the same username twice, in whichever case',
  parameters: ['usernames'],
  holds: ({ usernames = [] }) => {
    const names = usernames as readonly string[]
    return new Set(names.map(byUsername.keyOf)).size === names.length
  },
}

export const getUser = objectEndpoint(userKinds, {
  ...lookup,
  name: 'getUser',
  route: 'GET /2/users/:id',
  summary: 'Get a user.',
  params: { id: objectId({ example: '101' }) },
  asked: ({ params }) => ({ values: [params.id], parameter: 'id', isList: false }),
})

export const listUsers = objectEndpoint(userKinds, {
  ...lookup,
  name: 'listUsers',
  route: 'GET /2/users',
  summary: 'Get up to 100 users by their ids.',
  params: { ids: commaList(objectId(), { max: 100, example: ['101'] }) },
  isList: true,
  asked: ({ params }) => ({ values: params.ids, parameter: 'ids', isList: true }),
})

export const getUserByUsername = objectEndpoint(userKinds, {
  ...lookup,
  name: 'getUserByUsername',
  route: 'GET /2/users/by/username/:username',
  summary: 'Get a user by username, in whichever case.',
  params: { username: username({ example: 'demo' }) },
  asked: ({ params }) => ({ ...byUsername, values: [params.username], parameter: 'username', isList: false }),
})

export const listUsersByUsernames = objectEndpoint(userKinds, {
  ...lookup,
  name: 'listUsersByUsernames',
  route: 'GET /2/users/by',
  summary: 'Get up to 100 users by their usernames, in whichever case.',
  params: { usernames: commaList(username({ example: 'demo' }), { max: 100, example: ['demo'] }) },
  rules: [eachOnce],
  isList: true,
  asked: ({ params }) => ({ ...byUsername, values: params.usernames, parameter: 'usernames', isList: true }),
})

export const usersMe = objectEndpoint(userKinds, {
  name: 'usersMe',
  route: 'GET /2/users/me',
  section: '§5.2',
  summary: 'Get the authenticated user.',
  auth: anyUser,
  scopes: READS_USERS,
  rateLimit: 75,
  params: {},
  asked: ({ caller }) => ({ values: [caller.user.id], parameter: 'id', isList: false }),
})
