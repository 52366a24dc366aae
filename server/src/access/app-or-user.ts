import type { Auth } from '../api/declare/auth.ts'
import { headerOf, type RawRequest } from '../api/declare/raw-request.ts'
import { anyUser, hasUserBearer, type UserServices } from './any-user.ts'
import { type AppCaller, appBearer, appOfBearer } from './app-bearer.ts'
import { isProtocols } from './oauth1/read-signed.ts'
import { oauth2User } from './oauth2-user.ts'
import { signedUser } from './signed-user.ts'

const SUPPORTED = 'OAuth 2.0 Application-Only, OAuth 1.0a User Context, OAuth 2.0 User Context'

/** An Authorization header says it; without one, the parameters of a signature may stand in the query. */
function isSigned(request: RawRequest): boolean {
  const header = headerOf(request, 'authorization')
  return header ? /^oauth\b/i.test(header) : /(^|&)oauth_(consumer_key|signature)=/.test(request.query)
}

/** An app, by its bearer token or by the access token that it holds of a user. */
export const appOrUser: Auth<AppCaller, UserServices> = {
  name: 'appOrUser',
  anyOf: [appBearer, signedUser, oauth2User],
  isCredential: (name, request) => isSigned(request) && isProtocols(name),
  async assertKnown(request, services, endpoint) {
    if (isSigned(request) || hasUserBearer(request)) await anyUser.assertKnown?.(request, services, endpoint)
    else await appOfBearer(request, services, SUPPORTED)
  },
  authenticate: (request, services, endpoint) =>
    isSigned(request) || hasUserBearer(request)
      ? anyUser.authenticate(request, services, endpoint)
      : appOfBearer(request, services, SUPPORTED),
}
