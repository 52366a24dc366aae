import type { ClientOriginOf } from '../../access/client-origin.ts'
import { noAuth } from '../../api/declare/auth.ts'
import type { Dialect } from '../../api/declare/dialect.ts'
import { endpoint } from '../../api/declare/endpoint.ts'
import { scopeWords } from '../../api/declare/scopes.ts'
import { boolean, listOf, object, text } from '../../api/declare/words.ts'

const AUTHENTICATION = ['client_secret_basic', 'none']

const texts = () => listOf(text())

export const oauth2Metadata = endpoint({
  name: 'oauth2Metadata',
  route: 'GET /.well-known/oauth-authorization-server',
  section: '§5',
  summary: 'Describe the OAuth 2.0 authorization server for clients (RFC 8414).',
  auth: noAuth,
  params: {},
  answer: object({
    issuer: text(),
    authorization_endpoint: text(),
    token_endpoint: text(),
    revocation_endpoint: text(),
    scopes_supported: texts(),
    response_types_supported: texts(),
    grant_types_supported: texts(),
    code_challenge_methods_supported: texts(),
    token_endpoint_auth_methods_supported: texts(),
    revocation_endpoint_auth_methods_supported: texts(),
    authorization_response_iss_parameter_supported: boolean(),
  }),
  async handle({ request }, { originOf, dialect }: { originOf: ClientOriginOf; dialect: Dialect }) {
    const issuer = originOf(request).origins[0]!
    return {
      issuer,
      authorization_endpoint: `${issuer}/i/oauth2/authorize`,
      token_endpoint: `${issuer}/2/oauth2/token`,
      revocation_endpoint: `${issuer}/2/oauth2/revoke`,
      scopes_supported: Object.keys(scopeWords).map(dialect.out),
      response_types_supported: ['code'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      code_challenge_methods_supported: ['S256', 'plain'],
      token_endpoint_auth_methods_supported: AUTHENTICATION,
      revocation_endpoint_auth_methods_supported: AUTHENTICATION,
      authorization_response_iss_parameter_supported: dialect.name === 'spec',
    }
  },
})
