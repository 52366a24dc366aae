import { signedRequestToken } from '../../access/signed-request-token.ts'
import { endpoint } from '../../api/declare/endpoint.ts'
import { coded, Problem } from '../../api/declare/problem.ts'
import { id, object, optional, text } from '../../api/declare/words.ts'
import { randomAlphanumeric } from '../../lib/crypto.ts'
import type { RequestTokenStore } from '../../storage/request-tokens.ts'
import type { UserStore } from '../../storage/users.ts'

const TOKEN_LENGTH = 40
const SECRET_LENGTH = 45

const wrongVerifier = () => new Problem('unauthorized', { detail: 'Error processing your OAuth request: Invalid oauth_verifier parameter' })

interface Services {
  requestTokens: RequestTokenStore
  users: UserStore
  now: () => number
}

export const accessToken = endpoint({
  name: 'accessToken',
  route: 'POST /oauth/access_token',
  section: '§4.3',
  summary: 'Exchange an approved request token for an access token.',
  description:
    'Signed with the request token. The verifier is the one sent to the callback, or the PIN; the fifth wrong verifier invalidates the request token. There is one access token per app, user and access level, the same until it is revoked. It carries the granted permission.',
  auth: signedRequestToken,
  rateLimit: 450,
  params: { oauth_verifier: optional(text({ min: 0, description: 'Required: the verifier, or the PIN.' })) },
  answersForm: true,
  answer: object({ oauth_token: text(), oauth_token_secret: text(), user_id: id(), screen_name: text() }),
  async handle({ caller: { oauth, requestToken } }, { requestTokens, users, now }: Services) {
    const newToken = (userId: string) => ({
      token: `${userId}-${randomAlphanumeric(TOKEN_LENGTH)}`,
      secret: randomAlphanumeric(SECRET_LENGTH),
      createdAtMs: now(),
    })
    const verifier = oauth.get('oauth_verifier')
    if (!verifier) throw wrongVerifier()
    const exchanged = await requestTokens.exchange(requestToken.token, verifier, newToken, now())
    if (exchanged === 'wrong-verifier') throw wrongVerifier()
    const user = exchanged === 'gone' ? undefined : await users.byId(exchanged.userId)
    if (exchanged === 'gone' || !user) throw coded(89)
    return { oauth_token: exchanged.token, oauth_token_secret: exchanged.secret, user_id: user.id, screen_name: user.username }
  },
})
