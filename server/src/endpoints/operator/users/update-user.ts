import { operator } from '../../../access/operator.ts'
import { endpoint } from '../../../api/declare/endpoint.ts'
import { invalidRequest } from '../../../api/declare/problem.ts'
import { atLeastOneOf } from '../../../api/declare/rules.ts'
import { boolean, id, object, optional, text } from '../../../api/declare/words.ts'
import { isPasswordHash, looksLikeHash } from '../../../lib/password.ts'
import type { UserStore } from '../../../storage/users.ts'
import { passwordHashOf } from './password-hash.ts'
import { noSuchUser, userSchema, userView } from './user-view.ts'

/** A hash that cannot be used must not become a password. Its value is not repeated. */
function assertUsable(password: string | undefined) {
  if (password !== undefined && looksLikeHash(password) && !isPasswordHash(password))
    throw invalidRequest([
      {
        message: '$.password: must be plain text, or an argon2id hash in PHC format of at most 256 MiB, 10 passes and 8 lanes',
        parameters: { password: [] },
      },
    ])
}

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
    password: optional(text({ min: 8, max: 500, description: 'The new password: plain text, or an argon2id hash in PHC format.' })),
    disabled: optional(boolean()),
  },
  rules: [atLeastOneOf('password', 'disabled')],
  answer: object({ data: userSchema }),
  problems: ['not-found'],
  example: { disabled: false },
  async handle({ params: { user_id, password, disabled } }, { users }: { users: UserStore }) {
    assertUsable(password)
    if (!(await users.byId(user_id))) throw noSuchUser(user_id)
    const passwordHash = password === undefined ? undefined : await passwordHashOf(password)
    const user = await users.update(user_id, { passwordHash, disabled })
    if (!user) throw noSuchUser(user_id)
    return { data: userView(user) }
  },
})
