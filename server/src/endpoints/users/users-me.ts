import { anyUser } from '../../access/any-user.ts'
import { objectEndpoint } from '../objects/object-endpoint.ts'
import { READS_USERS, userKinds } from './user-kinds.ts'

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
