import type { AppPermissions } from './apps.ts'
import type { NamedGrant } from './oauth2-grants.ts'

/** Whose tokens are revoked: a user's, an app's, or those that the app has of the user. */
export type Holder = { userId: string; appId?: string } | { userId?: undefined; appId: string }

/** What was revoked. Its id is no secret: of a grant its own, of a token the beginning of its SHA-256. A bearer token has no user. */
export interface RevokedToken {
  kind: 'access_token' | 'bearer_token' | 'grant'
  id: string
  appId: string
  userId?: string
}

/** Tokens that are named one by one. */
export const MOST_NAMED = 100

/** How many tokens were revoked, and which: at most `MOST_NAMED` are named. */
export interface Revoked {
  count: number
  tokens: readonly RevokedToken[]
}

/** What a user has granted an app, and when. */
export interface AppConsent {
  appId: string
  /** The OAuth 1.0a tokens of the app, oldest first. */
  tokens: { access: AppPermissions; createdAtMs: number }[]
  /** Its OAuth 2.0 grants that have not expired, oldest first. */
  grants: { scopes: readonly string[]; createdAtMs: number; untilMs: number }[]
}

/** Revokes tokens for an operator. Each is refused from the next lookup on, in every process. */
export interface Revocations {
  /**
   * Revokes an access token or a bearer token; of OAuth 2.0 the whole grant of an access token or refresh token, also of a former one that names
   * its grant. How many there were: one or none.
   */
  revoke(token: string, named?: NamedGrant): Promise<Revoked>
  /**
   * Revokes the access tokens of a holder, each OAuth 2.0 grant counted as one, and of an app alone its bearer token too: how many. Their sign-ins that are under way end; they
   * are not counted.
   */
  revokeOf(holder: Holder): Promise<Revoked>
  /** What a user has granted apps, in the order of their ids. */
  consentsOf(userId: string, page: { after: string | null; limit: number; nowMs: number }): Promise<AppConsent[]>
}
