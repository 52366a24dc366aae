import { operator } from '../../../access/operator.ts'
import { endpoint } from '../../../api/declare/endpoint.ts'
import { invalidRequest } from '../../../api/declare/problem.ts'
import { atLeastOneOf } from '../../../api/declare/rules.ts'
import { boolean, id, object, optional } from '../../../api/declare/words.ts'
import type { UserStore } from '../../../storage/users.ts'
import { newPassword, passwordHashOf, unusablePassword } from './new-password.ts'
import { noSuchUser, userSchema, userView } from './user-view.ts'

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
  async handle({ params: { user_id, password, disabled } }, { users }: { users: UserStore }) {
    const unusable = password === undefined ? [] : unusablePassword(password, 'password')
    if (unusable.length > 0) throw invalidRequest(unusable)
    if (!(await users.byId(user_id))) throw noSuchUser(user_id)
    const passwordHash = password === undefined ? undefined : await passwordHashOf(password)
    const user = await users.update(user_id, { passwordHash, disabled })
    if (!user) throw noSuchUser(user_id)
    return { data: userView(user) }
  },
})
