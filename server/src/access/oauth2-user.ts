import type { Auth, Called } from '../api/declare/auth.ts'
import type { Dialect } from '../api/declare/dialect.ts'
import { coded, Problem, unsupportedAuthentication } from '../api/declare/problem.ts'
import type { RawRequest } from '../api/declare/raw-request.ts'
import { scopeWords } from '../api/declare/scopes.ts'
import { type AppCaller, appOfBearer, BEARER, type BearerServices, bearerOf, unauthorized } from './app-bearer.ts'
import { isUserToken } from './oauth2-token-format.ts'
import type { UserCaller } from './signed-user.ts'

const SUPPORTED = 'OAuth 1.0a User Context, OAuth 2.0 User Context'

/** One whose access token came with a bearer header. */
export interface OAuth2UserCaller extends UserCaller {
  /** What the token may do. */
  scopes: readonly string[]
}

const invalidToken = () => unauthorized({ 'www-authenticate': `${BEARER}, error="invalid_token"` })

/** 403 for a token without a scope that the endpoint needs; the header names them all (RFC 6750, section 3.1). */
const insufficientScope = (caller: AppCaller, scopes: readonly string[], dialect: Dialect) =>
  Object.assign(
    new Problem(
      'forbidden',
      {},
      { headers: { 'www-authenticate': `${BEARER}, error="insufficient_scope", scope="${scopes.map(dialect.out).join(' ')}"` } },
    ),
    { caller },
  )

/** The user of an access token, and its app. 401 for a token that was revoked, has expired or never was. */
async function userOfToken(token: string, request: RawRequest, { oauth2Grants, now, originOf, reportRefused }: BearerServices) {
  const holder = await oauth2Grants.findAccess(token)
  if (!holder || holder.expiresAtMs <= now() || holder.user.disabled) {
    reportRefused('bearer token', originOf(request).address)
    throw invalidToken()
  }
  if (holder.app.suspended) throw coded(416, { 'www-authenticate': BEARER })
  return holder
}

/** Authenticates the user of an OAuth 2.0 access token (RFC 6750), which needs every scope of the endpoint (§5.6). */
export const oauth2User: Auth<OAuth2UserCaller, BearerServices> = {
  name: 'oauth2User',
  scheme: {
    type: 'oauth2',
    description: 'An access token of a user, from the authorization code flow with PKCE.',
    flows: {
      authorizationCode: {
        authorizationUrl: '/2/oauth2/authorize',
        tokenUrl: '/2/oauth2/token',
        refreshUrl: '/2/oauth2/token',
        scopes: scopeWords,
      },
    },
  },
  async authenticate(request, services, { scopes }: Called) {
    const token = bearerOf(request, SUPPORTED)
    if (!isUserToken(token)) {
      await appOfBearer(request, services, SUPPORTED)
      throw unsupportedAuthentication('OAuth 2.0 Application-Only', SUPPORTED)
    }
    const { app, user, scopes: granted } = await userOfToken(token, request, services)
    const caller = { app, user, scopes: granted, rateKey: `user:${app.id}:${user.id}` }
    if (scopes.some((scope) => !granted.includes(scope))) throw insufficientScope(caller, scopes, services.dialect)
    return caller
  },
}
