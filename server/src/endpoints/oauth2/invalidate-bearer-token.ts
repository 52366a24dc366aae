import { appPassword } from '../../access/app-password.ts'
import { endpoint } from '../../api/declare/endpoint.ts'
import { because, coded } from '../../api/declare/problem.ts'
import { object, optional, text } from '../../api/declare/words.ts'
import type { BearerTokenStore } from '../../storage/bearer-tokens.ts'

const HOW = ['Send it as access_token in a form. POST /oauth2/token answers the current one.']

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
      throw because(coded(99), 'This is not the current bearer token of the app.', () => HOW)
    return { access_token }
  },
})
