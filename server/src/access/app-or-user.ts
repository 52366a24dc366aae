import type { Auth } from '../api/declare/auth.ts'
import { headerOf, type RawRequest } from '../api/declare/raw-request.ts'
import type { UserTokenStore } from '../storage/user-tokens.ts'
import { type AppCaller, appBearer, appOfBearer, type BearerServices } from './app-bearer.ts'
import type { SignatureServices } from './oauth1/verify.ts'
import { signedUser } from './signed-user.ts'

const SUPPORTED = 'OAuth 2.0 Application-Only, OAuth 1.0a User Context'

/** An Authorization header says it; without one, the parameters of a signature may stand in the query. */
function isSigned(request: RawRequest): boolean {
  const header = headerOf(request, 'authorization')
  return header ? /^oauth\b/i.test(header) : /(^|&)oauth_(consumer_key|signature)=/.test(request.query)
}

/** An app, by its bearer token or by the access token that it holds of a user. */
export const appOrUser: Auth<AppCaller, BearerServices & SignatureServices & { userTokens: UserTokenStore }> = {
  name: 'bearerTokenOrSignedUser',
  anyOf: [appBearer, signedUser],
  isCredential: signedUser.isCredential,
  authenticate: (request, services) =>
    isSigned(request) ? signedUser.authenticate(request, services) : appOfBearer(request, services, SUPPORTED),
}
