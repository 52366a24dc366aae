import { oauth2Client } from '../../access/oauth2-client.ts'
import type { RefreshTokens } from '../../access/oauth2-token-format.ts'
import { endpoint } from '../../api/declare/endpoint.ts'
import { oauth2Problem } from '../../api/declare/problem.ts'
import { boolean, object, optional, text } from '../../api/declare/words.ts'
import type { OAuth2Grants } from '../../storage/oauth2-grants.ts'

interface Services {
  oauth2Grants: OAuth2Grants
  refreshTokens: RefreshTokens
}

export const revokeToken = endpoint({
  name: 'revokeToken',
  route: 'POST /2/oauth2/revoke',
  section: '§5',
  summary: 'Revoke what a user has granted (OAuth 2.0).',
  description:
    'Either token ends the whole grant, with all its tokens, in every process from the next request on (RFC 7009). A token that is not one of the client answers the same and ends nothing.',
  auth: oauth2Client,
  rateLimit: 450,
  params: {
    token: optional(text({ min: 0, description: 'Required: an access token or a refresh token.', secret: true })),
    token_type_hint: optional(text({ min: 0, description: 'Accepted, without effect.' })),
    client_id: optional(text({ min: 0, description: 'Required for a public client.' })),
  },
  answer: object({ revoked: boolean() }),
  async handle({ params: { token }, caller: { app } }, { oauth2Grants, refreshTokens }: Services) {
    if (!token) throw oauth2Problem('invalid_request', 'Missing required parameter [token].')
    await oauth2Grants.revoke(app.id, { token, named: refreshTokens.read(token) })
    return { revoked: true }
  },
})
