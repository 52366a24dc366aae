import type { AppPermissions } from './apps.ts'

/** What a user has granted an app (§5.6). */
export interface UserConsent {
  /** The highest access of the app's OAuth 1.0a tokens of the user; null without any. Where there is one, it decides alone. */
  access: AppPermissions | null
  /** The app's OAuth 2.0 grants of the user; expired ones may be among them. */
  grants: readonly { scopes: readonly string[]; untilMs: number }[]
}

/** The consent of users to apps: what their tokens and grants say. */
export interface Consents {
  /**
   * What each of these users has granted the app, in their order: nothing if the user is unknown or disabled, or the app is unknown or
   * suspended. A revocation applies from the next call on, in every process.
   */
  of(appId: string, userIds: readonly string[]): Promise<UserConsent[]>
}
