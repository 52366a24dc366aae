import type { Auth } from '../api/declare/auth.ts'
import { codes } from '../api/declare/codes.ts'
import { because, Problem } from '../api/declare/problem.ts'
import { type AppPermissions, permits } from '../storage/apps.ts'
import type { UserTokenStore } from '../storage/user-tokens.ts'
import { anyUser, type UserServices } from './any-user.ts'
import type { SignatureServices } from './oauth1/verify.ts'
import { isSignedCaller, type SignedUserCaller, signedUser, type UserCaller } from './signed-user.ts'

const NOT_PERMITTED = 'Your client app is not configured with the appropriate oauth1 app permissions for this endpoint.'

/** Clients know a token without the permission for direct messages by this code (§7). */
const NO_MESSAGES = { errors: [{ code: 93 as const, message: codes[93].message }] }

function howToGet(permission: AppPermissions, { access, app: { id, permissions } }: SignedUserCaller): string[] {
  const again = permits(access, permission) ? [] : ['Then sign the user in again: a token keeps the permission that it was given.']
  if (permits(permissions, permission)) return [`The app may ask for ${permissions}.`, ...again]
  return [`The app itself has ${permissions}. PATCH /operator/apps/${id} with {"permissions": "${permission}"} gives it more.`, ...again]
}

/** Direct messages need the permission of the app itself as well, as it is now (§5.7): a token keeps what it was given otherwise. */
function permissionOf({ access, app }: SignedUserCaller, permission: AppPermissions): AppPermissions {
  return permission === 'read_write_dm' && permits(access, permission) ? app.permissions : access
}

function assertPermitted(caller: SignedUserCaller, permission: AppPermissions) {
  if (permits(permissionOf(caller, permission), permission)) return
  const problem = new Problem('oauth1-permissions', { detail: NOT_PERMITTED, ...(permission === 'read_write_dm' && NO_MESSAGES) })
  const holder = permits(caller.access, permission)
    ? `app has the permission ${caller.app.permissions}`
    : `access token has the permission ${caller.access}`
  const reason = `The ${holder}, and the call needs ${permission}.`
  throw Object.assign(
    because(problem, reason, () => howToGet(permission, caller)),
    { caller },
  )
}

/**
 * A user whose OAuth 1.0a access token has at least this permission (§5.7); 403 `oauth1-permissions` for less, for direct messages with
 * code 93. For an OAuth 2.0 access token its scopes decide, and nothing else (§5.6).
 */
export const userWith = (permission: AppPermissions): Auth<UserCaller, UserServices> => ({
  ...anyUser,
  problems: ['oauth1-permissions'],
  async authenticate(request, services, endpoint) {
    const caller = await anyUser.authenticate(request, services, endpoint)
    if (isSignedCaller(caller)) assertPermitted(caller, permission)
    return caller
  },
})

/** The same for OAuth 1.0a alone. */
export const signedUserWith = (permission: AppPermissions): Auth<UserCaller, SignatureServices & { userTokens: UserTokenStore }> => ({
  ...signedUser,
  problems: ['oauth1-permissions'],
  async authenticate(request, services, endpoint) {
    const caller = await signedUser.authenticate(request, services, endpoint)
    assertPermitted(caller, permission)
    return caller
  },
})
