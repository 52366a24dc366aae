import type { ChallengeMethod } from '../lib/pkce.ts'
import type { App } from './apps.ts'
import type { User } from './users.ts'

/** What a user has approved, until the app exchanges it for tokens (RFC 6749, section 4.1). */
export interface AuthorizationCode {
  code: string
  appId: string
  userId: string
  scopes: string[]
  redirectUri: string
  /** What the verifier of the exchange is compared with (RFC 7636). */
  challenge: string
  challengeMethod: ChallengeMethod
  expiresAtMs: number
}

/** What a user allows an app: one for each approval. It is live until `expiresAtMs`, when its last token expires, or until it is revoked. */
export interface OAuth2Grant {
  id: string
  appId: string
  userId: string
  /** All that the user approved, in the spelling of the dialect `spec`. */
  scopes: string[]
  createdAtMs: number
  expiresAtMs: number
}

/** An access token, and the refresh token that comes with it, if one does. */
export interface NewTokens {
  access: string
  accessUntilMs: number
  refresh: string | null
  /** When the grant ends unless it is refreshed again. */
  grantUntilMs: number
}

/** Whom an access token stands for, and what it may do: the scopes of its grant, or fewer. */
export interface AccessTokenHolder {
  app: App
  user: User
  scopes: string[]
  expiresAtMs: number
}

/** What an exchange or a refresh gives. */
export interface GivenTokens {
  grant: OAuth2Grant
  /** The scopes of the access token. */
  scopes: string[]
}

/** The grant that a refresh token names. */
export interface NamedGrant {
  grantId: string
  /** Whether the token really was one of the grant, as its MAC proves; anybody can write one that names the grant. */
  wasIssued: boolean
}

/** A grant that ended because a code or a refresh token of it was used again: somebody else may have it. */
export interface EndedGrant {
  endedGrantId: string
}

/**
 * Why a code or refresh token gives nothing. `unknown`: it never was, or ended before. `foreign`: it is of another app. `rotated`: the refresh
 * token was replaced just now. They are told apart for explanations alone: an answer must not.
 */
export type Ungiven = 'unknown' | 'foreign' | 'expired' | 'disabled' | 'rotated'

/** A refresh: which grant its token names, who asks, and for which scopes; undefined for all. */
export interface RefreshRequest extends NamedGrant {
  refreshToken: string
  appId: string
  /** Whether the client is public. */
  isPublic?: boolean
  scopes?: readonly string[]
}

/** A user has no more live grants to one app: with another approval the oldest ends. */
export const MAX_GRANTS = 20

/**
 * How long after its own replacement a former refresh token of a confidential client is refused without ending the grant, so that concurrent
 * refreshes end nothing. Later refreshes of the grant do not lengthen it. A public client has no such interval: a thief of its token could use it to go unnoticed.
 */
export const REUSE_INTERVAL_MS = 10_000

/**
 * Authorization codes, grants and their tokens. Codes and tokens are looked up by their SHA-256, and nothing else of them is stored.
 *
 *   code:  stored → (exchanged) deleted, its grant remembers it · (expired) deleted
 *   grant: live → (refreshed) live · (code or refresh token used a second time, revoked) deleted · (expired) deleted
 */
export interface OAuth2Grants {
  /** Inserts a code of a user who still has this password and is not disabled; false, and no code, for any other. */
  insertCode(code: AuthorizationCode, user: Pick<User, 'passwordHash'>, nowMs: number): Promise<boolean>
  /**
   * Exchanges a code, once, for the tokens. `refuse` says why the request does not prove that it may; the code stays then. The second exchange of
   * a code ends what the first one gave, once; then it is `unknown`.
   * A user's oldest grants to the app end, so that there are never more than `MAX_GRANTS`.
   */
  exchangeCode(
    code: string,
    appId: string,
    refuse: (code: AuthorizationCode) => string | undefined,
    newTokens: (code: AuthorizationCode) => NewTokens & { grantId: string },
    nowMs: number,
  ): Promise<GivenTokens | { refused: string } | EndedGrant | Ungiven>
  /**
   * Replaces the refresh token of a grant and adds an access token. `wider`: more scopes were asked for than were granted, and nothing
   * changes. A refresh token that was issued before the current one ends the grant.
   */
  refresh(request: RefreshRequest, newTokens: NewTokens, nowMs: number): Promise<GivenTokens | EndedGrant | 'wider' | Ungiven>
  /** Finds an access token that has not been revoked; whether it has expired is for the caller to say. */
  findAccess(token: string): Promise<AccessTokenHolder | undefined>
  /** The live grants of a user to an app. */
  granted(appId: string, userId: string, nowMs: number): Promise<OAuth2Grant[]>
  /** Ends the grant of an access token or refresh token of the app, also of a former one. False when there was none. */
  revoke(appId: string, token: { token: string; named?: NamedGrant }): Promise<boolean>
}
