import type { AppPermissions } from './apps.ts'
import type { User } from './users.ts'

/** The access token with which an app acts for a user (§4.3). Valid until it is revoked. */
export interface UserToken {
  token: string
  secret: string
  appId: string
  userId: string
  /** The granted access level: at most the app's permission at that time. */
  access: AppPermissions
  createdAtMs: number
}

/** One token for each app, user and access level. Tokens are looked up by their SHA-256; token and secret are stored sealed only. */
export interface UserTokenStore {
  /** Returns false, and changes nothing, if the token or one for the same app, user and access exists. */
  insert(token: UserToken): Promise<boolean>
  find(token: string): Promise<{ token: UserToken; user: User } | undefined>
  /** The access levels that the user has granted the app, each once. */
  granted(appId: string, userId: string): Promise<AppPermissions[]>
  /** Returns true if the token existed. It is invalid from the next lookup on. */
  revoke(token: string): Promise<boolean>
}
