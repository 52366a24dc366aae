import type { RefreshTokens } from '../../access/oauth2-token-format.ts'
import { operator } from '../../access/operator.ts'
import { endpoint } from '../../api/declare/endpoint.ts'
import { atLeastOneOf, mutuallyExclusive } from '../../api/declare/rules.ts'
import { id, integer, object, optional, text } from '../../api/declare/words.ts'
import type { FieldChange } from '../../storage/audit-log.ts'
import { type Holder, MOST_NAMED, type Revocations, type Revoked, type RevokedToken } from '../../storage/revocations.ts'
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
    ? revocations.revokeOf({ userId: user_id, appId: app_id } as Holder)
    : revocations.revoke(token, refreshTokens.read(token))

const goneIn = ({ kind, id: tokenId, appId, userId }: RevokedToken): FieldChange => ({
  field: `${kind} ${tokenId}`,
  before: JSON.stringify({ app_id: appId, user_id: userId }),
  after: null,
})

export const revokeTokens = endpoint({
  name: 'revokeTokens',
  route: 'POST /operator/tokens/revoke',
  section: '§5.4',
  summary: 'Revoke one token, or those of a user, of an app, or of an app for a user.',
  description: `With \`app_id\` alone the bearer token of the app is revoked too. Sign-ins that no app has exchanged yet end as well; only tokens are counted. Every process refuses them from the next request on. The answer is 0 when there was none. The audit log names the first ${MOST_NAMED}, each with its app and user, by an id that is no secret: of an OAuth 2.0 grant its own, of a token the first 16 digits of its SHA-256.`,
  auth: operator,
  params: {
    token: optional(text({ description: 'An access token, a refresh token (also a former one) or a bearer token.', secret: true })),
    user_id: optional(id({ example: '9' })),
    app_id: optional(id({ example: '9' })),
  },
  rules: [atLeastOneOf('token', 'user_id', 'app_id'), mutuallyExclusive('token', 'user_id'), mutuallyExclusive('token', 'app_id')],
  answer: object({ data: object({ revoked: integer({ min: 0 }) }) }),
  async handle({ params, noteInAudit }, services: Services) {
    const { count, tokens } = await revoke(params, services)
    const [one] = params.token === undefined ? [] : tokens
    noteInAudit({
      appId: params.app_id ?? one?.appId,
      userId: params.user_id ?? one?.userId,
      changes: [...changesBetween({}, { revoked: count }), ...tokens.map(goneIn)],
    })
    return { data: { revoked: count } }
  },
})
