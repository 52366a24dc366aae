import type { AppPermissions } from './apps.ts'
import type { UserToken } from './user-tokens.ts'
import type { User } from './users.ts'

/** An OAuth 1.0a request token (§4.3). */
export interface RequestToken {
  token: string
  secret: string
  appId: string
  /** The `oauth_callback` of the request for it, or `oob`. */
  callback: string
  /** The access level that the user is asked for. */
  access: AppPermissions
  expiresAtMs: number
  /** Whether the user has approved it. */
  granted: boolean
}

/** Values for a new access token, if the exchange needs one. */
export type NewUserToken = Pick<UserToken, 'token' | 'secret' | 'createdAtMs'>

/**
 * Request tokens, by their SHA-256; secrets and verifiers are stored sealed only.
 *
 *   pending → (approved) granted → (exchanged) deleted
 *   pending → (denied) deleted
 *   granted → (fifth wrong verifier) deleted
 *   any     → (expired) deleted
 */
export interface RequestTokenStore {
  insert(token: Omit<RequestToken, 'granted'>, nowMs: number): Promise<void>
  /** Finds a pending or granted token. */
  find(token: string, nowMs: number): Promise<RequestToken | undefined>
  /**
   * Records the user's approval. Returns false, and changes nothing, if the token is not pending, or the user was deleted, disabled or given
   * another password since the user was read.
   */
  grant(token: string, user: Pick<User, 'id' | 'passwordHash'>, verifier: string, nowMs: number): Promise<boolean>
  /** Records the user's denial. Returns false, and changes nothing, if the token is not pending. */
  deny(token: string, nowMs: number): Promise<boolean>
  /**
   * Exchanges a granted token, once, for the user's access token: the existing one for this app and access, or a new one from `newToken`.
   * Its access is what the user has allowed, and no more than the app may have now.
   * `wrong-verifier`: the token is invalidated at the fifth; a pending token never is. `gone`: there is no such token, or its user is disabled.
   */
  exchange(
    token: string,
    verifier: string,
    newToken: (userId: string) => NewUserToken,
    nowMs: number,
  ): Promise<UserToken | 'wrong-verifier' | 'gone'>
}
