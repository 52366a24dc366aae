import { appPassword } from '../../access/app-password.ts'
import { newBearerToken } from '../../access/new-bearer-token.ts'
import { endpoint } from '../../api/declare/endpoint.ts'
import { coded } from '../../api/declare/problem.ts'
import { object, oneOf, optional, text } from '../../api/declare/words.ts'
import type { BearerTokenStore } from '../../storage/bearer-tokens.ts'

export const obtainBearerToken = endpoint({
  name: 'obtainBearerToken',
  route: 'POST /oauth2/token',
  section: '§4.3',
  summary: 'Exchange the API key and API key secret for the app-only bearer token.',
  description:
    'Each app has one bearer token: every call returns the same one until it is invalidated, or the secret ends that it was given to (§5.3). Wrong credentials, a missing or different `grant_type` and too many requests are answered with 403 and code 99.',
  auth: appPassword,
  rateLimit: 450,
  overLimitCode: 99,
  params: { grant_type: optional(text({ min: 0, example: 'client_credentials', description: 'Required: `client_credentials`.' })) },
  answer: object({ token_type: oneOf(['bearer']), access_token: text() }),
  async handle({ params: { grant_type }, caller: { app, secretVersion } }, { bearerTokens }: { bearerTokens: BearerTokenStore }) {
    if (grant_type !== 'client_credentials') throw coded(99)
    const token = await bearerTokens.obtain(app.id, newBearerToken(), secretVersion)
    if (token === undefined) throw coded(99)
    return { token_type: 'bearer' as const, access_token: token }
  },
})
