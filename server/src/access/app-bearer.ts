import type { Auth, Caller } from '../api/declare/auth.ts'
import { coded, Problem, unsupportedAuthentication } from '../api/declare/problem.ts'
import { headerOf, type RawRequest } from '../api/declare/raw-request.ts'
import type { App } from '../storage/apps.ts'
import type { BearerTokenStore } from '../storage/bearer-tokens.ts'
import type { ClientOriginOf } from './client-origin.ts'
import type { ReportRefused } from './refused-credentials.ts'
import { assertNotRevoked, type RevokedTokenServices } from './revoked-token.ts'

export interface AppCaller extends Caller {
  app: App
}

const CHALLENGE = { 'www-authenticate': 'Bearer realm="postern"' }

const unauthorized = () => new Problem('unauthorized', {}, { headers: CHALLENGE })

const SUPPORTED = 'OAuth 2.0 Application-Only'

/** The token of an `Authorization: Bearer` header, percent-encoded or not. */
function bearerOf(request: RawRequest, supported: string): string {
  const header = headerOf(request, 'authorization')
  if (!header) throw unauthorized()
  const [scheme = '', token = ''] = header.split(/ +/, 2)
  if (scheme.toLowerCase() === 'bearer' && token !== '') return token
  if (/^(oauth|basic)$/i.test(scheme))
    throw unsupportedAuthentication(scheme.toLowerCase() === 'oauth' ? 'OAuth 1.0a User Context' : 'Basic', supported)
  throw unauthorized()
}

/** Percent-encoded or not: the characters of a token are the same to us. */
function decoded(token: string): string {
  try {
    return decodeURIComponent(token)
  } catch {
    return token
  }
}

export interface BearerServices {
  bearerTokens: BearerTokenStore
  originOf: ClientOriginOf
  reportRefused: ReportRefused
}

/**
 * The app of an app-only bearer token (§5.1). 401 without a valid token, 403 with another kind of credentials; the problem names the
 * `supported` ones.
 */
export async function appOfBearer(request: RawRequest, services: BearerServices, supported = SUPPORTED): Promise<AppCaller> {
  const { bearerTokens, originOf, reportRefused } = services
  const app = await bearerTokens.appOf(decoded(bearerOf(request, supported)))
  if (!app) {
    reportRefused('bearer token', originOf(request).address)
    throw unauthorized()
  }
  if (app.suspended) throw coded(416, CHALLENGE)
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
