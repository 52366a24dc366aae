import { signedUser } from '../../access/signed-user.ts'
import { endpoint } from '../../api/declare/endpoint.ts'
import { commaList, id, iso, object, oneOf, optional, text, timestamp } from '../../api/declare/words.ts'

const always = { id: id({ example: '101' }), name: text(), username: text() }
const onRequest = { created_at: optional(timestamp()) }

export const usersMe = endpoint({
  name: 'usersMe',
  route: 'GET /2/users/me',
  section: '§5.2',
  summary: 'Get the authenticated user.',
  auth: signedUser,
  rateLimit: 75,
  params: { 'user.fields': optional(commaList(oneOf([...Object.keys(always), ...Object.keys(onRequest)]))) },
  answer: object({ data: object({ ...always, ...onRequest }) }),
  async handle({ params: { 'user.fields': fields = [] }, caller: { user } }) {
    const { id, name, username, createdAtMs } = user
    return { data: { id, name, username, ...(fields.includes('created_at') && { created_at: iso(createdAtMs) }) } }
  },
})
