import { operator } from '../../../access/operator.ts'
import { endpoint } from '../../../api/declare/endpoint.ts'
import { id, optional, text } from '../../../api/declare/words.ts'
import type { UserStore } from '../../../storage/users.ts'
import { operatorPage } from '../operator-page.ts'
import { userSchema, userView } from './user-view.ts'

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
