import { signedUser } from '../../access/signed-user.ts'
import { endpoint } from '../../api/declare/endpoint.ts'
import { coded } from '../../api/declare/problem.ts'
import { object, text } from '../../api/declare/words.ts'
import type { UserTokenStore } from '../../storage/user-tokens.ts'

export const invalidateToken = endpoint({
  name: 'invalidateToken',
  route: 'POST /1.1/oauth/invalidate_token',
  section: '§4.3, §5.4',
  summary: 'Revoke the access token that signed this request.',
  description: 'From the next request on, every process answers the token with 401 and code 89.',
  auth: signedUser,
  rateLimit: 450,
  params: {},
  answer: object({ access_token: text() }),
  async handle({ caller: { token } }, { userTokens }: { userTokens: UserTokenStore }) {
    if (!(await userTokens.revoke(token))) throw coded(89)
    return { access_token: token }
  },
})
