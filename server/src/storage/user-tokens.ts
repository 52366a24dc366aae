import type { AppPermissions } from './apps.ts'
import type { User } from './users.ts'

/** What an app acts for a user with (§4.3). It holds until it is revoked. */
export interface UserToken {
  token: string
  secret: string
  appId: string
  userId: string
  /** What the user has granted, at most the app's permission at that time. */
  access: AppPermissions
  createdAtMs: number
}

/** One token for each app, user and access. Tokens are looked up by their SHA-256; token and secret are stored sealed only. */
export interface UserTokenStore {
  /** False when the token, or one for the same app, user and access, exists; then nothing changes. */
  insert(token: UserToken): Promise<boolean>
  find(token: string): Promise<{ token: UserToken; user: User } | undefined>
  /** What the user has granted the app, each once. */
  granted(appId: string, userId: string): Promise<AppPermissions[]>
  /** True when it existed; it holds from the next lookup on. */
  revoke(token: string): Promise<boolean>
}
