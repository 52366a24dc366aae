import { newAccessToken, newRefreshToken } from '../../access/oauth2-token-format.ts'
import { OFFLINE } from '../../api/declare/scopes.ts'
import { HOUR_MS } from '../../lib/time.ts'
import type { NewTokens } from '../../storage/oauth2-grants.ts'

export const ACCESS_MS = 2 * HOUR_MS

/** A refresh token that is not used for so long expires, and with it the grant. */
const REFRESH_MS = 180 * 24 * HOUR_MS

/** The tokens of a grant with these scopes; only with `offline.access` a refresh token among them. */
export function newTokens(grantId: string, scopes: readonly string[], nowMs: number): NewTokens {
  const isOffline = scopes.includes(OFFLINE)
  return {
    access: newAccessToken(nowMs),
    accessUntilMs: nowMs + ACCESS_MS,
    refresh: isOffline ? newRefreshToken(grantId, nowMs) : null,
    grantUntilMs: nowMs + (isOffline ? REFRESH_MS : ACCESS_MS),
  }
}
