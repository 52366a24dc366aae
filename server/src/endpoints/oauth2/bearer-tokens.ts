import { newBearerToken } from '../../access/app-bearer.ts'
import { appPassword } from '../../access/app-password.ts'
import { endpoint } from '../../api/declare/endpoint.ts'
import { because, coded } from '../../api/declare/problem.ts'
import { headerOf, type RawRequest } from '../../api/declare/raw-request.ts'
import type { More } from '../../api/declare/why.ts'
import { object, oneOf, optional, text } from '../../api/declare/words.ts'
import { cutText } from '../../lib/text.ts'
import type { BearerTokenStore } from '../../storage/bearer-tokens.ts'

const MAX_QUOTE_LENGTH = 50

const FORM = 'application/x-www-form-urlencoded'

const HOW_TO_OBTAIN = [
  `Send the form grant_type=client_credentials with content-type: ${FORM}. With curl: -d grant_type=client_credentials`,
]

/** Why there is no `grant_type`, or another one. */
function wrongGrantType(sent: string | undefined, request: RawRequest): [reason: string, more: More] {
  const type = headerOf(request, 'content-type')?.split(';')[0]?.trim().toLowerCase()
  if (sent !== undefined)
    return [`grant_type is ${cutText(sent, MAX_QUOTE_LENGTH) || 'empty'}, and must be client_credentials.`, () => HOW_TO_OBTAIN]
  const isForm = type === FORM
  if (request.body === null || request.body.length === 0) return ['The request has no body, so grant_type is missing.', () => HOW_TO_OBTAIN]
  if (isForm) return ['grant_type is missing from the form.', () => HOW_TO_OBTAIN]
  return [
    `The body is ${type === undefined ? 'of no content-type' : cutText(type, MAX_QUOTE_LENGTH)}, and must be a form, so grant_type is missing.`,
    () => HOW_TO_OBTAIN,
  ]
}

export const obtainBearerToken = endpoint({
  name: 'obtainBearerToken',
  route: 'POST /oauth2/token',
  section: '§4.3',
  summary: 'Exchange the API key and API key secret for the app-only bearer token.',
  description:
    'Each app has one bearer token: every call returns the same one until it is invalidated, or the secret ends that it was given to (§5.3). Wrong credentials, a missing or different `grant_type` and too many requests are answered with 403 and code 99.',
  auth: appPassword,
  isRepeatable: true,
  rateLimit: 450,
  overLimitCode: 99,
  params: { grant_type: optional(text({ min: 0, example: 'client_credentials', description: 'Required: `client_credentials`.' })) },
  answer: object({ token_type: oneOf(['bearer']), access_token: text() }),
  async handle({ params: { grant_type }, caller: { app, secretVersion }, request }, { bearerTokens }: { bearerTokens: BearerTokenStore }) {
    if (grant_type !== 'client_credentials') throw because(coded(99), ...wrongGrantType(grant_type, request))
    const token = await bearerTokens.obtain(app.id, newBearerToken(), secretVersion)
    if (token === undefined) throw because(coded(99), 'The consumer secret ended while the token was made.')
    return { token_type: 'bearer' as const, access_token: token }
  },
})

const HOW_TO_INVALIDATE = ['Send it as access_token in a form. POST /oauth2/token answers the current one.']

export const invalidateBearerToken = endpoint({
  name: 'invalidateBearerToken',
  route: 'POST /oauth2/invalidate_token',
  section: '§4.3',
  summary: "Invalidate the app's bearer token.",
  description:
    'The token must be the current bearer token of the app whose API key and secret are sent; any other token is answered with 403 and code 99, whether it exists or not.',
  auth: appPassword,
  rateLimit: 450,
  overLimitCode: 99,
  params: { access_token: optional(text({ min: 0, max: 500, description: 'Required: the token to invalidate.', secret: true })) },
  answer: object({ access_token: text() }),
  async handle({ params: { access_token = '' }, caller: { app } }, { bearerTokens }: { bearerTokens: BearerTokenStore }) {
    if (!(await bearerTokens.invalidate(app.id, access_token)))
      throw because(coded(99), 'This is not the current bearer token of the app.', () => HOW_TO_INVALIDATE)
    return { access_token }
  },
})
