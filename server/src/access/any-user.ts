import type { Auth } from '../api/declare/auth.ts'
import { headerOf, type RawRequest } from '../api/declare/raw-request.ts'
import type { UserTokenStore } from '../storage/user-tokens.ts'
import { type BearerServices, bearerOf } from './app-bearer.ts'
import { isProtocols } from './oauth1/read-signed.ts'
import type { SignatureServices } from './oauth1/verify.ts'
import { isUserToken } from './oauth2-token-format.ts'
import { oauth2User } from './oauth2-user.ts'
import { signedUser, type UserCaller } from './signed-user.ts'

export type UserServices = BearerServices & SignatureServices & { userTokens: UserTokenStore }

const hasBearer = (request: RawRequest) => /^bearer\b/i.test(headerOf(request, 'authorization') ?? '')

/** Whether a request has a bearer token in the form of a user's. */
export const hasUserBearer = (request: RawRequest): boolean => hasBearer(request) && isUserToken(bearerOf(request, ''))

/** A user on whose behalf an app calls, by a signature of OAuth 1.0a or an access token of OAuth 2.0. */
export const anyUser: Auth<UserCaller, UserServices> = {
  name: 'anyUser',
  anyOf: [signedUser, oauth2User],
  isCredential: (name, request) => !hasBearer(request) && isProtocols(name),
  async assertKnown(request, services, endpoint) {
    if (hasBearer(request)) await oauth2User.authenticate(request, services, endpoint)
    else await signedUser.assertKnown?.(request, services, endpoint)
  },
  authenticate: (request, services, endpoint) =>
    hasBearer(request) ? oauth2User.authenticate(request, services, endpoint) : signedUser.authenticate(request, services, endpoint),
}
