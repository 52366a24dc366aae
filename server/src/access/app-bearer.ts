import type { Auth, Caller } from '../api/declare/auth.ts'
import { coded, Problem, unsupportedAuthentication } from '../api/declare/problem.ts'
import { headerOf, type RawRequest } from '../api/declare/raw-request.ts'
import type { App } from '../storage/apps.ts'
import type { BearerTokenStore } from '../storage/bearer-tokens.ts'

export interface AppCaller extends Caller {
  app: App
}

const unauthorized = () => new Problem('unauthorized', {}, { headers: { 'www-authenticate': 'Bearer realm="postern"' } })

const SUPPORTED = 'OAuth 2.0 Application-Only'

/** The token of an `Authorization: Bearer` header, percent-encoded or not. */
function bearerOf(request: RawRequest): string {
  const header = headerOf(request, 'authorization')
  if (!header) throw unauthorized()
  const [scheme = '', token = ''] = header.split(/ +/, 2)
  if (scheme.toLowerCase() === 'bearer' && token !== '') return token
  if (/^(oauth|basic)$/i.test(scheme))
    throw unsupportedAuthentication(scheme.toLowerCase() === 'oauth' ? 'OAuth 1.0a User Context' : 'Basic', SUPPORTED)
  throw unauthorized()
}

function decoded(token: string): string {
  try {
    return decodeURIComponent(token)
  } catch {
    return token
  }
}

/** Authenticates an app by its bearer token (§5.1). 401 without a valid token, 403 with another kind of credentials. */
export const appBearer: Auth<AppCaller, { bearerTokens: BearerTokenStore }> = {
  name: 'bearerToken',
  scheme: { type: 'http', scheme: 'bearer', description: 'An app-only token from `POST /oauth2/token`.' },
  async authenticate(request, { bearerTokens }) {
    const app = await bearerTokens.appOf(decoded(bearerOf(request)))
    if (!app) throw unauthorized()
    if (app.suspended) throw coded(416)
    return { app, rateKey: `app:${app.id}` }
  },
}
