import { readFile } from 'node:fs/promises'
import { areas } from '../api/areas.ts'
import type { Caller } from '../api/declare/auth.ts'
import type { Endpoint } from '../api/declare/endpoint.ts'
import { coded, Problem } from '../api/declare/problem.ts'
import type { CountCall } from '../api/serve.ts'
import type { Clock } from '../lib/clock.ts'
import { MINUTE_MS } from '../lib/time.ts'
import type { RateWindows } from '../storage/rate-windows.ts'

export const RATE_WINDOW_MS = 15 * MINUTE_MS

/**
 * Calls per window and app, or user and app where a user signs, by endpoint (public practice). The advertising hosts count in buckets, the
 * last four. An endpoint that has no line is not limited.
 */
export const rateLimits: Record<string, number> = {
  createWebhook: 450,
  listWebhooks: 450,
  validateWebhook: 450,
  deleteWebhook: 450,
  replayWebhook: 100,
  usersMe: 75,
  verifyCredentials: 75,
  createSubscription: 500,
  listSubscriptions: 500,
  updateSubscription: 500,
  deleteSubscriptions: 500,
  deleteSubscription: 500,
  obtainBearerToken: 450,
  invalidateBearerToken: 450,
  adsWrites: 450,
  adsCoreReads: 10_000,
  adsReads: 2000,
  adsTotals: 200,
}

/** The line of the table that a call of an endpoint is counted by. */
export const limitNameOf = (endpoint: Endpoint, query = ''): string => areas[endpoint.area].limitName(endpoint, query)

/** How long a window of a line is, in milliseconds. */
export const windowMsOf = (limitName: string): number => (limitName === 'adsWrites' ? MINUTE_MS : RATE_WINDOW_MS)

/** The limit of an endpoint as a reader wants to know it. */
export const sayLimit =
  (limits: Record<string, number>) =>
  (endpoint: Endpoint): string | undefined => {
    const name = limitNameOf(endpoint)
    if (limits[name] === undefined) return undefined
    const perWhom = endpoint.auth.name === 'signedUser' ? ', app and user' : ' and app'
    const counted = { adsWrites: ' and user, with all other writes', adsCoreReads: ' and account', adsReads: ' and user' }[name] ?? perWhom
    const totals = 'with_total_count' in endpoint.params ? `; ${limits.adsTotals} for each user with \`with_total_count\`` : ''
    return `${limits[name]} calls per ${windowMsOf(name) === MINUTE_MS ? 'minute' : '15 minutes'}${counted}${totals}`
  }

/** Writes are counted together, all else for each endpoint, core reads for each account. */
function windowOf(endpoint: Endpoint, { rateKey, accountKey }: Caller, limitName: string): string {
  if (limitName === 'adsWrites') return `adsWrites:${rateKey}`
  if (limitName === 'adsCoreReads') return `${endpoint.name}:${accountKey ?? rateKey}`
  return `${limitName === 'adsTotals' ? 'totals:' : ''}${endpoint.name}:${rateKey}`
}

/** Endpoints that refuse a caller over its limit with a numeric error of their own (§7). */
const overLimitCodes: Record<string, 99> = { obtainBearerToken: 99, invalidateBearerToken: 99 }

/** Reads `POSTERN_RATE_LIMITS`: the table, nothing at all, or the table with the overrides of a JSON file. Throws when the file is not one. */
export async function readRateLimits(setting: string): Promise<Record<string, number>> {
  if (setting === 'off') return {}
  if (setting === 'on') return rateLimits
  const overrides = JSON.parse(await readFile(setting, 'utf8')) as Record<string, unknown>
  for (const [name, limit] of Object.entries(overrides)) {
    if (!(name in rateLimits))
      throw new Error(`POSTERN_RATE_LIMITS: ${setting} names ${name}, which is not one of ${Object.keys(rateLimits).join(', ')}`)
    if (!Number.isSafeInteger(limit) || (limit as number) < 0)
      throw new Error(`POSTERN_RATE_LIMITS: ${setting}: ${name} must be a whole number`)
  }
  return { ...rateLimits, ...(overrides as Record<string, number>) }
}

/** Counts each call in the caller's window for the endpoint; 429 beyond the limit. Every counted answer says what is left. */
export function createRateLimiter(limits: Record<string, number>, windows: RateWindows, clock: Clock): CountCall {
  return async (endpoint, caller, request) => {
    const limitName = limitNameOf(endpoint, request.query)
    const limit = limits[limitName]
    if (limit === undefined) return {}
    const { count, resetAtMs } = await windows.hit(windowOf(endpoint, caller, limitName), windowMsOf(limitName), clock.now())
    const said = { limit, remaining: Math.max(0, limit - count), reset: Math.ceil(resetAtMs / 1000) }
    const prefixes = limitName === 'adsCoreReads' && caller.accountKey ? ['x-rate-limit', 'x-account-rate-limit'] : ['x-rate-limit']
    const headers = Object.fromEntries(
      prefixes.flatMap((prefix) => Object.entries(said).map(([name, value]) => [`${prefix}-${name}`, String(value)])),
    )
    if (count <= limit) return headers
    const code = overLimitCodes[endpoint.name]
    throw code ? coded(code, headers) : new Problem('too-many-requests', {}, { headers })
  }
}
