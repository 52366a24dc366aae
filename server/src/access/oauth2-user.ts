import type { Auth, Called } from '../api/declare/auth.ts'
import type { Dialect } from '../api/declare/dialect.ts'
import { because, Problem, unsupportedAuthentication } from '../api/declare/problem.ts'
import type { RawRequest } from '../api/declare/raw-request.ts'
import { scopeWords } from '../api/declare/scopes.ts'
import { iso } from '../api/declare/words.ts'
import type { AccessTokenHolder } from '../storage/oauth2-grants.ts'
import { appOfBearer, BEARER, type BearerServices, bearerOf, invalidToken, suspendedCaller } from './app-bearer.ts'
import { isUserToken } from './oauth2-token-format.ts'
import type { UserCaller } from './signed-user.ts'
import { whyNoToken } from './why-no-token.ts'

const SUPPORTED = 'OAuth 1.0a User Context, OAuth 2.0 User Context'

/** One whose access token came with a bearer header. */
export interface OAuth2UserCaller extends UserCaller {
  /** What the token may do. */
  scopes: readonly string[]
}

/** 403 for a token without a scope that the endpoint needs; the header names them all (RFC 6750, section 3.1). */
function insufficientScope(caller: OAuth2UserCaller, scopes: readonly string[], dialect: Dialect) {
  const named = (some: readonly string[]) => some.map(dialect.out).join(', ')
  const headers = { 'www-authenticate': `${BEARER}, error="insufficient_scope", scope="${scopes.map(dialect.out).join(' ')}"` }
  const missing = scopes.filter((scope) => !caller.scopes.includes(scope))
  const problem = because(new Problem('forbidden', {}, { headers }), `The access token does not have the scope ${named(missing)}.`, () => [
    `It has: ${named(caller.scopes)}. The call needs: ${named(scopes)}.`,
    'Ask for all of them at the authorization page, and let the user approve again: a token never gets more scopes.',
  ])
  return Object.assign(problem, { caller })
}

/** Why an access token is refused that was found, or was not. */
function refusedToken(token: string, holder: AccessTokenHolder | undefined, services: BearerServices): Problem {
  if (!holder) return because(invalidToken(), 'There is no such access token.', () => whyNoToken(token, services))
  if (holder.user.disabled)
    return because(invalidToken(), 'The user of the access token is disabled.', () => [
      `PATCH /operator/users/${holder.user.id} with {"disabled": false} enables ${holder.user.username} again.`,
    ])
  return because(invalidToken(), `The access token expired at ${iso(holder.expiresAtMs)}.`, () => [
    'It is valid for two hours. A refresh token, which comes with the scope offline.access, gets a new one at POST /2/oauth2/token.',
  ])
}

/** The user of an access token, and its app. 401 for a token that was revoked, has expired or never was. */
async function userOfToken(token: string, request: RawRequest, services: BearerServices) {
  const { oauth2Grants, now, originOf, reportRefused } = services
  const holder = await oauth2Grants.findAccess(token)
  if (!holder || holder.expiresAtMs <= now() || holder.user.disabled) {
    reportRefused('bearer token', originOf(request).address)
    throw refusedToken(token, holder, services)
  }
  if (holder.app.suspended) throw suspendedCaller(holder.app)
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
