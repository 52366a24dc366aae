import type { App } from './apps.ts'

/**
 * App-only tokens: one valid token per app, which every request gets until it is invalidated (§5.3, §8). A token stores the oldest version of
 * the app's secret that it was given for, and expires with that secret.
 */
export interface BearerTokenStore {
  /**
   * Returns the app's valid token for the secret of this version; stores `candidate` as that if there is none. Concurrent calls in several
   * processes get the same one. Undefined if the secret has become invalid, or the app was deleted.
   */
  obtain(appId: string, candidate: string, secretVersion: number): Promise<string | undefined>
  /** The app of a valid token. The token is looked up by its SHA-256; it is stored sealed only. */
  appOf(token: string): Promise<App | undefined>
  /** Returns true if this was the valid token of this app. It is invalid from the next lookup on. */
  invalidate(appId: string, token: string): Promise<boolean>
}
