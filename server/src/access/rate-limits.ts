import { readFile } from 'node:fs/promises'
import { areas } from '../api/areas.ts'
import type { Caller } from '../api/declare/auth.ts'
import type { Endpoint } from '../api/declare/endpoint.ts'
import { coded, Problem } from '../api/declare/problem.ts'
import type { CountCall } from '../api/serve.ts'
import type { Clock } from '../lib/clock.ts'
import { MINUTE_MS } from '../lib/time.ts'
import type { RateWindows } from '../storage/rate-windows.ts'

const RATE_WINDOW_MS = 15 * MINUTE_MS

/** The limits of the advertising hosts, which endpoints share (public practice). */
const adsLimits = { adsWrites: 450, adsCoreReads: 10_000, adsReads: 2000, adsTotals: 200 }

/**
 * Calls per window and app, or user and app where a user signs, by name: that of an endpoint which declares a limit, or of a limit that
 * the advertising hosts share. An endpoint without a limit is not counted.
 */
export const rateLimitsOf = (endpoints: readonly Endpoint[]): Record<string, number> => ({
  ...Object.fromEntries(endpoints.flatMap(({ name, rateLimit }) => (typeof rateLimit === 'number' ? [[name, rateLimit]] : []))),
  ...adsLimits,
})

/** The name of the limit that a call of an endpoint is counted by. */
export const limitNameOf = (endpoint: Endpoint, query = ''): string => areas[endpoint.area].limitName(endpoint, query)

/** How long the window of a limit is, in milliseconds. */
const windowMsOf = (limitName: string): number => (limitName === 'adsWrites' ? MINUTE_MS : RATE_WINDOW_MS)

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

/** Reads `POSTERN_RATE_LIMITS`: the declared limits, none, or those with the overrides of a JSON file. Throws for an invalid file. */
export async function readRateLimits(setting: string, rateLimits: Record<string, number>): Promise<Record<string, number>> {
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

/** Counts each call in the caller's window for the endpoint; 429 beyond the limit. Every counted answer says what is left. Tells `limited`. */
export function createRateLimiter(
  limits: Record<string, number>,
  windows: RateWindows,
  clock: Clock,
  limited: (endpointName: string) => void = () => {},
): CountCall {
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
    limited(endpoint.name)
    const { overLimitCode } = endpoint
    throw overLimitCode ? coded(overLimitCode, headers) : new Problem('too-many-requests', {}, { headers })
  }
}
