import { areaOf } from '../api/areas.ts'
import type { Auth } from '../api/declare/auth.ts'
import { because } from '../api/declare/problem.ts'
import { pathOf, type RawRequest } from '../api/declare/raw-request.ts'
import type { AppPermissions } from '../storage/apps.ts'
import type { UserTokenStore } from '../storage/user-tokens.ts'
import type { User } from '../storage/users.ts'
import type { AppCaller } from './app-bearer.ts'
import type { ClientOriginOf } from './client-origin.ts'
import { assertKnown, otherScheme, type SignatureServices, signatureScheme, verify } from './oauth1/verify.ts'

/** A user on whose behalf an app calls. */
export interface UserCaller extends AppCaller {
  user: User
}

/** One who signed with an OAuth 1.0a access token. */
export interface SignedUserCaller extends UserCaller {
  token: string
  access: AppPermissions
}

export const isSignedCaller = (caller: UserCaller): caller is SignedUserCaller => 'access' in caller

const ACCESS_LEVELS: Record<AppPermissions, string> = {
  read: 'read',
  read_write: 'read-write',
  read_write_dm: 'read-write-directmessages',
}

/** Throws 403 for an app's own credentials. */
function assertNoOtherScheme(request: RawRequest, originOf: ClientOriginOf) {
  const scheme = otherScheme(request)
  if (scheme === undefined) return
  const headers = { 'www-authenticate': `OAuth realm="${originOf(request).origins[0]}"` }
  throw because(
    areaOf(pathOf(request.target)).refusedSignature.otherScheme(scheme, headers),
    `The Authorization header is ${scheme === 'bearer' ? 'a bearer token' : 'HTTP Basic'}, and this call is made on behalf of a user.`,
    () => ['Sign it with OAuth 1.0a: consumer key and secret, and an access token of the user with its secret.'],
  )
}

const holderIn =
  ({ userTokens }: { userTokens: UserTokenStore }) =>
  async (token: string) => {
    const found = await userTokens.find(token)
    return found && { ...found.token, user: found.user, isDisabled: found.user.disabled }
  }

/** Authenticates the user whose access token signed, and its app (§5.2). 401 code 89 for a revoked or unknown token, or one of a disabled user. */
export const signedUser: Auth<SignedUserCaller, SignatureServices & { userTokens: UserTokenStore }> = {
  name: 'signedUser',
  ...signatureScheme('signed with the API key secret and an access token.'),
  async assertKnown(request, services) {
    assertNoOtherScheme(request, services.originOf)
    await assertKnown(request, services, holderIn(services))
  },
  async authenticate(request, services) {
    assertNoOtherScheme(request, services.originOf)
    const { app, holder } = await verify(request, services, holderIn(services))
    const { user, token, access } = holder
    return { app, user, token, access, rateKey: `user:${app.id}:${user.id}`, headers: { 'x-access-level': ACCESS_LEVELS[access] } }
  },
}
