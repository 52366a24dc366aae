import { signedUser } from '../../access/signed-user.ts'
import { endpoint } from '../../api/declare/endpoint.ts'
import { v1UserOf, v1UserSchema } from './v1-user.ts'

export const verifyCredentials = endpoint({
  name: 'verifyCredentials',
  route: 'GET /1.1/account/verify_credentials',
  section: '§5.2',
  summary: 'Get the authenticated user (v1.1 form).',
  description: '`id` is a number of up to 19 digits, which loses precision in many JSON parsers; `id_str` is exact.',
  auth: signedUser,
  rateLimit: 75,
  params: {},
  answer: v1UserSchema,
  handle: async ({ caller: { user } }) => v1UserOf(user),
})
