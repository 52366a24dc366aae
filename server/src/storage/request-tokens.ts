import type { AppPermissions } from './apps.ts'
import type { UserToken } from './user-tokens.ts'

/** What a sign-in goes on with (§4.3). */
export interface RequestToken {
  token: string
  secret: string
  appId: string
  /** The callback that it was asked for with, or `oob`. */
  callback: string
  /** What the user is asked to allow. */
  access: AppPermissions
  expiresAtMs: number
  /** The user has allowed it. */
  granted: boolean
}

/** What an access token is made of, should the exchange need a new one. */
export type NewUserToken = Pick<UserToken, 'token' | 'secret' | 'createdAtMs'>

/**
 * Request tokens, by their SHA-256; secrets and verifiers are stored sealed only.
 *
 *   asked   → (allowed) granted → (exchanged) gone
 *   asked   → (denied) gone
 *   granted → (wrong verifiers) gone, after the fifth
 *   any     → (expired) gone
 */
export interface RequestTokenStore {
  insert(token: Omit<RequestToken, 'granted'>, nowMs: number): Promise<void>
  /** Asked or granted. */
  find(token: string, nowMs: number): Promise<RequestToken | undefined>
  /** The user allows it. False when it is not asked any more: then nothing changes. */
  grant(token: string, userId: string, verifier: string, nowMs: number): Promise<boolean>
  /** The user denies it. False when it is not asked any more: then nothing changes. */
  deny(token: string, nowMs: number): Promise<boolean>
  /**
   * Makes of a granted token the user's access token: the one that stands for this app and access, or one of `fresh`, once.
   * Tells whether the verifier was wrong, which a token survives four times and one that is not granted always, or the token is gone,
   * as it is while its user is disabled.
   */
  exchange(
    token: string,
    verifier: string,
    fresh: (userId: string) => NewUserToken,
    nowMs: number,
  ): Promise<UserToken | 'wrong-verifier' | 'gone'>
}
