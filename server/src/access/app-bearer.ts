import type { Auth, Caller } from '../api/declare/auth.ts'
import { codes } from '../api/declare/codes.ts'
import type { Dialect } from '../api/declare/dialect.ts'
import { because, coded, Problem, unsupportedAuthentication } from '../api/declare/problem.ts'
import { headerOf, type RawRequest } from '../api/declare/raw-request.ts'
import { randomUrlText } from '../lib/crypto.ts'
import type { App } from '../storage/apps.ts'
import type { BearerTokenStore } from '../storage/bearer-tokens.ts'
import type { OAuth2Grants } from '../storage/oauth2-grants.ts'
import type { ClientOriginOf } from './client-origin.ts'
import { isUserToken } from './oauth2-token-format.ts'
import type { ReportRefused } from './refused-credentials.ts'
import { assertNotRevoked, type RevokedTokenServices } from './revoked-token.ts'
import { percentDecoded, schemeAndCredentials } from './sent-credentials.ts'
import { suspendedApp } from './suspended-app.ts'
import { APP_TOKEN, type WhyNoTokenServices, whyNoToken } from './why-no-token.ts'

const TOKEN_BYTES = 64

/** A new token; its first letters are those that scanners for leaked secrets look for. */
export const newBearerToken = (): string => `AAAAAAAAAAAAAAAAAAAAA${randomUrlText(TOKEN_BYTES)}`

export interface AppCaller extends Caller {
  app: App
}

/** The `www-authenticate` of whoever must send a bearer token. */
export const BEARER = 'Bearer realm="postern"'

export const unauthorized = (headers: Record<string, string> = { 'www-authenticate': BEARER }) =>
  new Problem('unauthorized', {}, { headers })

/** Of whoever sent a token that is none (RFC 6750, section 3.1). */
const INVALID_TOKEN = { 'www-authenticate': `${BEARER}, error="invalid_token"` }

/** For the bearer token of a suspended app, or of a user of one. */
export const suspendedCaller = (app: Pick<App, 'id' | 'name'>) => suspendedApp(coded(416, { 'www-authenticate': BEARER }), app)

/** For a token that was revoked, has expired or never was; clients know it by this code (§7). */
export const invalidToken = () =>
  new Problem('unauthorized', { errors: [{ code: 89, message: codes[89].message }] }, { headers: INVALID_TOKEN })

const SUPPORTED = 'OAuth 2.0 Application-Only'

const UNSET = ['A variable that should hold it may be empty.']

/** The token of an `Authorization: Bearer` header, percent-encoded or not. 401 without one, 403 with other credentials than the `supported` ones. */
export function bearerOf(request: RawRequest, supported: string): string {
  const header = headerOf(request, 'authorization')
  if (!header) throw because(unauthorized(), 'The request has no Authorization header.')
  const [scheme, token] = schemeAndCredentials(header)
  if (scheme === 'bearer' && token !== '') return percentDecoded(token)
  if (scheme === 'oauth' || scheme === 'basic')
    throw unsupportedAuthentication(scheme === 'oauth' ? 'OAuth 1.0a User Context' : 'Basic', supported)
  if (scheme === 'bearer') throw because(unauthorized(), 'The Authorization header is `Bearer` without a token.', () => UNSET)
  throw because(unauthorized(), 'The Authorization header is not `Bearer <token>`.')
}

export interface BearerServices extends WhyNoTokenServices {
  bearerTokens: BearerTokenStore
  oauth2Grants: OAuth2Grants
  dialect: Dialect
  now: () => number
  originOf: ClientOriginOf
  reportRefused: ReportRefused
}

/** Throws 403 for the access token of a user, where only an app may call. One that is not live is no token at all. */
async function assertNotUsers(token: string, { oauth2Grants, now }: BearerServices, supported: string) {
  const holder = isUserToken(token) ? await oauth2Grants.findAccess(token) : undefined
  if (!holder || holder.expiresAtMs <= now() || holder.user.disabled) return
  if (holder.app.suspended) throw suspendedCaller(holder.app)
  throw unsupportedAuthentication('OAuth 2.0 User Context', supported)
}

/**
 * The app of an app-only bearer token (§5.1). 401 without a valid token, 403 with another kind of credentials; the problem names the
 * `supported` ones.
 */
export async function appOfBearer(request: RawRequest, services: BearerServices, supported = SUPPORTED): Promise<AppCaller> {
  const { bearerTokens, originOf, reportRefused } = services
  const token = bearerOf(request, supported)
  const app = await bearerTokens.appOf(token)
  if (!app) {
    await assertNotUsers(token, services, supported)
    reportRefused('bearer token', originOf(request).address)
    const isToken = isUserToken(token) || APP_TOKEN.test(token)
    throw because(isToken ? invalidToken() : unauthorized(INVALID_TOKEN), 'The bearer token is not valid.', () =>
      whyNoToken(token, services),
    )
  }
  if (app.suspended) throw suspendedCaller(app)
  return { app, rateKey: `app:${app.id}` }
}

const isSigned = (request: RawRequest) => /^oauth\b/i.test(headerOf(request, 'authorization') ?? '')

/** Authenticates an app by its bearer token (§5.1). For a signed request: 403, or 401 code 89 if its user token was revoked. */
export const appBearer: Auth<AppCaller, BearerServices & RevokedTokenServices> = {
  name: 'bearerToken',
  scheme: { type: 'http', scheme: 'bearer', description: 'An app-only token from `POST /oauth2/token`.' },
  async authenticate(request, services) {
    if (isSigned(request)) await assertNotRevoked(request, services)
    return appOfBearer(request, services)
  },
}
