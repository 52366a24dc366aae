import { signedRequestToken } from '../../access/signed-request-token.ts'
import { endpoint } from '../../api/declare/endpoint.ts'
import { because, coded, Problem } from '../../api/declare/problem.ts'
import { id, object, optional, text } from '../../api/declare/words.ts'
import { randomAlphanumeric } from '../../lib/crypto.ts'
import type { RequestTokenStore } from '../../storage/request-tokens.ts'
import type { UserStore } from '../../storage/users.ts'

const TOKEN_LENGTH = 40
const SECRET_LENGTH = 45

const wrongVerifier = () => new Problem('unauthorized', { detail: 'Error processing your OAuth request: Invalid oauth_verifier parameter' })

const WRONG_VERIFIER = 'oauth_verifier is not that of this request token.'
const NOT_ALLOWED = 'The user has not allowed this request token yet, so it has no oauth_verifier.'
const VERIFIER = [
  'It comes to the callback beside oauth_token, or is the PIN that the page shows. The fifth wrong one ends the request token.',
]

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
    if (!verifier) throw because(wrongVerifier(), 'oauth_verifier is missing.', () => VERIFIER)
    const exchanged = await requestTokens.exchange(requestToken.token, verifier, newToken, now())
    if (exchanged === 'wrong-verifier') throw because(wrongVerifier(), requestToken.granted ? WRONG_VERIFIER : NOT_ALLOWED, () => VERIFIER)
    const user = exchanged === 'gone' ? undefined : await users.byId(exchanged.userId)
    if (exchanged === 'gone' || !user) throw because(coded(89), 'The request token was exchanged before, or its user is disabled.')
    return { oauth_token: exchanged.token, oauth_token_secret: exchanged.secret, user_id: user.id, screen_name: user.username }
  },
})
