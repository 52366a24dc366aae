import type { App } from './apps.ts'

/**
 * App-only tokens: one outstanding per app, the same on every request until it is invalidated (§5.3, §8). A token is known by the oldest
 * version of the app's secret that it was given to, and ends when that secret does.
 */
export interface BearerTokenStore {
  /**
   * The outstanding token of the app, or `candidate` made outstanding, for a caller who has the secret of this version. Two processes at
   * once get the same one. Undefined when that secret has ended meanwhile, or the app is gone.
   */
  obtain(appId: string, candidate: string, secretVersion: number): Promise<string | undefined>
  /** The app that an outstanding token belongs to. The token is looked up by its SHA-256; the clear text is stored sealed only. */
  appOf(token: string): Promise<App | undefined>
  /** True when this was the outstanding token of this very app; it holds from the next lookup on. */
  invalidate(appId: string, token: string): Promise<boolean>
}
