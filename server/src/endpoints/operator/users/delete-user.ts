import { operator } from '../../../access/operator.ts'
import { endpoint } from '../../../api/declare/endpoint.ts'
import { boolean, id, object } from '../../../api/declare/words.ts'
import type { UserStore } from '../../../storage/users.ts'
import { noSuchUser } from './user-view.ts'

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
