import type { RefreshTokens } from '../../access/oauth2-token-format.ts'
import { operator } from '../../access/operator.ts'
import { endpoint } from '../../api/declare/endpoint.ts'
import { atLeastOneOf, mutuallyExclusive } from '../../api/declare/rules.ts'
import { id, integer, object, optional, text } from '../../api/declare/words.ts'
import type { Holder, Revocations, Revoked } from '../../storage/revocations.ts'
import { changesBetween } from './audit-changes.ts'

interface Asked {
  token?: string
  user_id?: string
  app_id?: string
}

interface Services {
  revocations: Revocations
  refreshTokens: RefreshTokens
}

/** The rules allow nothing else than one token, or a user, an app or both. */
const revoke = async ({ token, user_id, app_id }: Asked, { revocations, refreshTokens }: Services): Promise<Revoked> =>
  token === undefined
    ? { count: await revocations.revokeOf({ userId: user_id, appId: app_id } as Holder), userId: user_id, appId: app_id }
    : revocations.revoke(token, refreshTokens.read(token))

export const revokeTokens = endpoint({
  name: 'revokeTokens',
  route: 'POST /operator/tokens/revoke',
  section: '§5.4',
  summary: 'Revoke one token, or those of a user, of an app, or of an app for a user.',
  description:
    'With `app_id` alone the bearer token of the app is revoked too. Sign-ins that no app has exchanged yet end as well; only tokens are counted. Every process refuses them from the next request on. The answer is 0 when there was none.',
  auth: operator,
  params: {
    token: optional(text({ description: 'An access token, a refresh token (also a former one) or a bearer token.', secret: true })),
    user_id: optional(id({ example: '9' })),
    app_id: optional(id({ example: '9' })),
  },
  rules: [atLeastOneOf('token', 'user_id', 'app_id'), mutuallyExclusive('token', 'user_id'), mutuallyExclusive('token', 'app_id')],
  answer: object({ data: object({ revoked: integer({ min: 0 }) }) }),
  async handle({ params, noteInAudit }, services: Services) {
    const { count, appId, userId } = await revoke(params, services)
    noteInAudit({ appId, userId, changes: changesBetween({}, { revoked: count }) })
    return { data: { revoked: count } }
  },
})
