import { signedApp, signedRequestToken } from '../../access/signed-app.ts'
import { signedUser } from '../../access/signed-user.ts'
import { codes } from '../../api/declare/codes.ts'
import { endpoint } from '../../api/declare/endpoint.ts'
import { because, coded, invalidRequest, Problem } from '../../api/declare/problem.ts'
import { id, object, oneOf, optional, text } from '../../api/declare/words.ts'
import { randomAlphanumeric } from '../../lib/crypto.ts'
import { MINUTE_MS } from '../../lib/time.ts'
import type { App, AppPermissions } from '../../storage/apps.ts'
import type { RequestTokenStore } from '../../storage/request-tokens.ts'
import type { UserTokenStore } from '../../storage/user-tokens.ts'
import type { UserStore } from '../../storage/users.ts'
import { howToAdd, notRegistered, OUT_OF_BAND, sayRegistered } from './callbacks.ts'

const LIFETIME_MS = 15 * MINUTE_MS
const REQUEST_TOKEN_LENGTH = 27
const REQUEST_SECRET_LENGTH = 32

interface RequestTokenServices {
  requestTokens: RequestTokenStore
  now: () => number
  /** In development code 415 names the callbacks of the app. */
  development: boolean
}

const wrong = (name: string, value: string | undefined, says: string) =>
  invalidRequest([{ message: `\`${name}\` ${says}`, parameters: { [name]: value === undefined ? [] : [value] } }])

/** Code 415 with what is registered, where everybody may know that. */
const explainedCallback = (registered: readonly string[]) =>
  new Problem('forbidden', { detail: `${codes[415].message}. Registered for this app: ${registered.join(', ')}` }, { code: 415 })

/** The callback that was asked for: one of the app's, to the byte, or `oob`. */
function callbackOf({ id, name, callbackUrls }: App, asked: string | undefined, development: boolean): string {
  if (!asked) throw wrong('oauth_callback', asked, 'is required: a callback URL of the app, or oob')
  if (asked === OUT_OF_BAND || callbackUrls.includes(asked)) return asked
  if (callbackUrls.length === 0)
    throw because(coded(417), `The app ${name} has no callback URL, so it may ask with oob alone.`, () => [
      howToAdd(id, callbackUrls, asked),
    ])
  throw because(development ? explainedCallback(callbackUrls) : coded(415), notRegistered('oauth_callback', asked), () => [
    sayRegistered(callbackUrls),
    howToAdd(id, callbackUrls, asked),
  ])
}

/** What the user will be asked for: the app's permission, or less. */
function accessOf({ permissions }: App, asked: string | undefined): AppPermissions {
  if (asked === undefined) return permissions
  if (asked === 'read') return 'read'
  if (asked === 'write' && permissions !== 'read') return 'read_write'
  throw wrong('x_auth_access_type', asked, 'must be read or write, and no more than the permission of the app')
}

export const requestToken = endpoint({
  name: 'requestToken',
  route: 'POST /oauth/request_token',
  section: '§4.3',
  summary: 'Start a sign-in: get a request token.',
  description:
    'Parameters are sent in the Authorization header, the query or a form body; a protocol parameter sent with the same value in two places counts once. The callback must equal a callback URL of the app byte by byte (otherwise code 415; code 417 if the app has none; code 38 if it is missing); `oob` asks for a PIN. `x_auth_access_type` asks for less access than the app may have. The token expires after 15 minutes and can be used once.',
  auth: signedApp,
  isRepeatable: true,
  rateLimit: 450,
  params: {
    oauth_callback: optional(text({ min: 0, description: 'Required: a callback of the app, or `oob`.', example: OUT_OF_BAND })),
    x_auth_access_type: optional(text({ min: 0, description: '`read` or `write`.' })),
  },
  answersForm: true,
  answer: object({ oauth_token: text(), oauth_token_secret: text(), oauth_callback_confirmed: oneOf(['true']) }),
  async handle({ caller: { app, oauth } }, { requestTokens, now, development }: RequestTokenServices) {
    const callback = callbackOf(app, oauth.get('oauth_callback'), development)
    const access = accessOf(app, oauth.get('x_auth_access_type'))
    const [token, secret] = [randomAlphanumeric(REQUEST_TOKEN_LENGTH), randomAlphanumeric(REQUEST_SECRET_LENGTH)]
    await requestTokens.insert({ token, secret, appId: app.id, callback, access, expiresAtMs: now() + LIFETIME_MS }, now())
    return { oauth_token: token, oauth_token_secret: secret, oauth_callback_confirmed: 'true' as const }
  },
})

const ACCESS_TOKEN_LENGTH = 40
const ACCESS_SECRET_LENGTH = 45

const wrongVerifier = () => new Problem('unauthorized', { detail: 'Error processing your OAuth request: Invalid oauth_verifier parameter' })

const WRONG_VERIFIER = 'oauth_verifier is not that of this request token.'
const NOT_ALLOWED = 'The user has not allowed this request token yet, so it has no oauth_verifier.'
const VERIFIER = [
  'It comes to the callback beside oauth_token, or is the PIN that the page shows. The fifth wrong one ends the request token.',
]

interface AccessTokenServices {
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
    'Signed with the request token. The verifier is the one sent to the callback, or the PIN; the fifth wrong verifier invalidates the request token. There is one access token per app, user and access level, the same until it is revoked. It carries the granted permission, or that of the app if it is less by now.',
  auth: signedRequestToken,
  rateLimit: 450,
  params: { oauth_verifier: optional(text({ min: 0, description: 'Required: the verifier, or the PIN.' })) },
  answersForm: true,
  answer: object({ oauth_token: text(), oauth_token_secret: text(), user_id: id(), screen_name: text() }),
  async handle({ caller: { oauth, requestToken } }, { requestTokens, users, now }: AccessTokenServices) {
    const newToken = (userId: string) => ({
      token: `${userId}-${randomAlphanumeric(ACCESS_TOKEN_LENGTH)}`,
      secret: randomAlphanumeric(ACCESS_SECRET_LENGTH),
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
