import { operator } from '../../../access/operator.ts'
import { endpoint } from '../../../api/declare/endpoint.ts'
import { invalidRequest, Problem } from '../../../api/declare/problem.ts'
import { atLeastOneOf } from '../../../api/declare/rules.ts'
import { boolean, id, integer, iso, object, optional, text, timestamp } from '../../../api/declare/words.ts'
import type { SessionStore, User, UserStore } from '../../../storage/users.ts'
import { changesBetween } from '../audit-changes.ts'
import { operatorPage } from '../operator-page.ts'
import { newPassword, passwordHashOf, unusablePassword } from './new-password.ts'

/** A user as the operator sees one: without the password hash. */
const userSchema = object({ id: id(), username: text(), name: text(), disabled: boolean(), created_at: timestamp() })

const userView = ({ id, username, name, disabled, createdAtMs }: User) => ({
  id,
  username,
  name,
  disabled,
  created_at: iso(createdAtMs),
})

const noSuchUser = (userId: string) => new Problem('not-found', { detail: `There is no user ${userId}.` })

const page = operatorPage('after', id, userSchema)

export const listAllUsers = endpoint({
  name: 'listAllUsers',
  route: 'GET /operator/users',
  section: '§4.3',
  summary: 'List the users, in the order of their ids, without their passwords.',
  auth: operator,
  params: { username: optional(text({ description: 'Only the user of this name, in upper or lower case.' })), ...page.params },
  answer: page.answer,
  handle: ({ params: { username, after, max_results } }, { users }: { users: UserStore }) =>
    page.read(max_results, {
      rows: (limit) => users.list({ username, after: after ?? null, limit }),
      view: userView,
      placeOf: (user) => user.id,
    }),
})

export const updateUser = endpoint({
  name: 'updateUser',
  route: 'PATCH /operator/users/:user_id',
  section: '§4.3',
  summary: "Set a user's password, disable or enable the user.",
  description:
    'Either ends the sessions of the user and the sign-ins that no app has exchanged yet; enabling ends nothing. A new password leaves access tokens as they are. A disabled user cannot sign in, and every process refuses the access tokens of the user with 401 and code 89 until the user is enabled.',
  auth: operator,
  params: {
    user_id: id({ example: '9' }),
    password: optional(newPassword()),
    disabled: optional(boolean()),
  },
  rules: [atLeastOneOf('password', 'disabled')],
  answer: object({ data: userSchema }),
  problems: ['not-found'],
  example: { disabled: false },
  async handle({ params: { user_id, password, disabled }, noteInAudit }, { users }: { users: UserStore }) {
    const unusable = password === undefined ? [] : unusablePassword(password, 'password')
    if (unusable.length > 0) throw invalidRequest(unusable)
    const found = await users.byId(user_id)
    if (!found) throw noSuchUser(user_id)
    const before = userView(found)
    const passwordHash = password === undefined ? undefined : await passwordHashOf(password)
    const user = await users.update(user_id, { passwordHash, disabled })
    if (!user) throw noSuchUser(user_id)
    noteInAudit({ changes: changesBetween(before, userView(user), [passwordHash !== undefined && 'password']) })
    return { data: userView(user) }
  },
})

export const deleteUser = endpoint({
  name: 'deleteUser',
  route: 'DELETE /operator/users/:user_id',
  section: '§4.3',
  summary: 'Delete a user.',
  description:
    "Atomic: the user's sessions, access tokens, unfinished sign-ins, memberships in advertising accounts, product catalogs, and every subscription that is filtered to the user are deleted too. Accounts and their history stay, and so do events that were accepted before, of which the public ones are still delivered.",
  auth: operator,
  params: { user_id: id({ example: '9' }) },
  answer: object({ data: object({ deleted: boolean() }) }),
  problems: ['not-found'],
  async handle({ params: { user_id } }, { users }: { users: UserStore }) {
    if (!(await users.remove(user_id))) throw noSuchUser(user_id)
    return { data: { deleted: true } }
  },
})

export const endSessions = endpoint({
  name: 'endSessions',
  route: 'DELETE /operator/sessions',
  section: '§4.3',
  summary: 'End the sessions of a user at the approval page.',
  description: 'The user has to give the password again. Access tokens stay.',
  auth: operator,
  params: { user_id: id({ example: '9' }) },
  answer: object({ data: object({ ended: integer({ min: 0 }) }) }),
  async handle({ params: { user_id } }, { sessions, now }: { sessions: SessionStore; now: () => number }) {
    return { data: { ended: await sessions.removeOf(user_id, now()) } }
  },
})
