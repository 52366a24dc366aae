import { readFile } from 'node:fs/promises'
import { areas } from '../api/areas.ts'
import type { Caller } from '../api/declare/auth.ts'
import type { Endpoint } from '../api/declare/endpoint.ts'
import { coded, Problem } from '../api/declare/problem.ts'
import type { CountCall } from '../api/serve.ts'
import type { Clock } from '../lib/clock.ts'
import { MINUTE_MS } from '../lib/time.ts'
import type { RateWindows } from '../storage/rate-windows.ts'
import { limitHeaders, retryAfter } from './limit-headers.ts'

const RATE_WINDOW_MS = 15 * MINUTE_MS

/** The limits of the advertising hosts, which endpoints share (public practice). */
const adsLimits = { adsWrites: 450, adsAudienceUsers: 1500, adsCoreReads: 10_000, adsReads: 2000, adsTotals: 200 }

/** Wrong credentials per window, counted for each address (`access/failed-attempts.ts`). */
const failureLimits = { failedAppSecrets: 100, failedClientSecrets: 100, failedSignatures: 450, failedOperatorTokens: 100 }

/**
 * The limits by name: calls per window for one caller (its rate key). The name is that of an endpoint that declares a limit, or of a limit
 * that advertising endpoints share. Calls of an endpoint without a limit are not counted.
 */
export const rateLimitsOf = (endpoints: readonly Endpoint[]): Record<string, number> => ({
  ...Object.fromEntries(endpoints.flatMap(({ limitName, rateLimit }) => (typeof rateLimit === 'number' ? [[limitName, rateLimit]] : []))),
  ...adsLimits,
  ...failureLimits,
})

/** The name of the limit for which a call counts. */
export const limitNameOf = (endpoint: Endpoint, query = ''): string => areas[endpoint.area].limitName(endpoint, query)

/** The names of the endpoints whose calls are limited. */
export const limitedEndpoints = (endpoints: readonly Endpoint[], limits: Record<string, number>): string[] =>
  endpoints.filter((endpoint) => limits[limitNameOf(endpoint)] !== undefined).map(({ name }) => name)

/** The limits that are per minute. */
const perMinute: readonly string[] = ['adsWrites', 'adsAudienceUsers']

/** The window of a limit, in milliseconds. */
const windowMsOf = (limitName: string): number => (perMinute.includes(limitName) ? MINUTE_MS : RATE_WINDOW_MS)

/** For whom calls are counted, by the credentials of an endpoint; for the app alone if they are not listed. */
const perWhom: Record<string, string> = {
  adsUser: ' and user',
  signedUser: ', app and user',
  signedApp: ', app and address',
  signedRequestToken: ', app and address',
  anyUser: ', app and user',
  oauth2Client: ', app and address',
  appOrUser: ' and app, or app and user',
}

/** The limit of an endpoint as a text for documents. */
export const describeLimit =
  (limits: Record<string, number>) =>
  (endpoint: Endpoint): string | undefined => {
    const name = limitNameOf(endpoint)
    if (limits[name] === undefined) return undefined
    const usual = endpoint.auth.name === null ? ' and address' : (perWhom[endpoint.auth.name] ?? ' and app')
    const counted =
      {
        adsWrites: ' and user, with all other writes',
        adsAudienceUsers: ' and user',
        adsCoreReads: ' and account',
        adsReads: ' and user',
      }[name] ?? usual
    const totals = 'with_total_count' in endpoint.params ? `; ${limits.adsTotals} for each user with \`with_total_count\`` : ''
    return `${limits[name]} calls per ${windowMsOf(name) === MINUTE_MS ? 'minute' : '15 minutes'}${counted}${totals}`
  }

/** The counter's key: writes share one, reads have one per endpoint, core reads one per account. */
function windowOf(endpoint: Endpoint, { rateKey, accountKey }: Caller, limitName: string): string {
  if (limitName === 'adsWrites') return `adsWrites:${rateKey}`
  if (limitName === 'adsCoreReads') return `${endpoint.limitName}:${accountKey ?? rateKey}`
  return `${limitName === 'adsTotals' ? 'totals:' : ''}${endpoint.limitName}:${rateKey}`
}

/** The JSON of a file of overrides. An error repeats nothing of the file, which may be a secret by mistake. */
async function readOverrides(path: string): Promise<Record<string, unknown>> {
  try {
    return JSON.parse(await readFile(path, 'utf8'))
  } catch (error) {
    const reason = error instanceof SyntaxError ? 'it is not JSON' : (error as Error).message
    throw new Error(`POSTERN_RATE_LIMITS must be on, off or a JSON file; ${path} cannot be read: ${reason}`)
  }
}

/** Reads `POSTERN_RATE_LIMITS`: the declared limits, none, or those with the overrides of a JSON file. Throws for an invalid file. */
export async function readRateLimits(setting: string, rateLimits: Record<string, number>): Promise<Record<string, number>> {
  if (setting === 'off') return {}
  if (setting === 'on') return rateLimits
  const overrides = await readOverrides(setting)
  for (const [name, limit] of Object.entries(overrides)) {
    if (!(name in rateLimits))
      throw new Error(`POSTERN_RATE_LIMITS: ${setting} names ${name}, which is not one of ${Object.keys(rateLimits).join(', ')}`)
    if (!Number.isSafeInteger(limit) || (limit as number) < 0)
      throw new Error(`POSTERN_RATE_LIMITS: ${setting}: ${name} must be a whole number`)
  }
  return { ...rateLimits, ...(overrides as Record<string, number>) }
}

/**
 * Counts each call in the caller's window for the endpoint; 429 with `retry-after` beyond the limit, which is reported to `limited`. Every
 * counted response has the remaining calls in headers.
 */
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
    const window = await windows.hit(windowOf(endpoint, caller, limitName), windowMsOf(limitName), clock.now())
    const prefixes = limitName === 'adsCoreReads' && caller.accountKey ? ['x-rate-limit', 'x-account-rate-limit'] : ['x-rate-limit']
    const headers = limitHeaders(limit, window, prefixes)
    if (window.count <= limit) return headers
    limited(endpoint.name)
    throw overLimit(endpoint, { ...headers, ...retryAfter(window.resetAtMs, clock.now()) })
  }
}

const overLimit = ({ overLimitCode }: Endpoint, headers: Record<string, string>): Problem =>
  overLimitCode ? coded(overLimitCode, headers) : new Problem('too-many-requests', {}, { headers })

/** The limit of a call that has none, where one is made up. */
const MADE_UP_LIMIT = 15

/** The refusal of a call that is over its limit in a window that has just begun, whatever the caller has left. */
export function overLimitNow(endpoint: Endpoint, query: string, limits: Record<string, number>, nowMs: number): Problem {
  const limitName = limitNameOf(endpoint, query)
  const limit = limits[limitName] ?? MADE_UP_LIMIT
  const resetAtMs = nowMs + windowMsOf(limitName)
  return overLimit(endpoint, { ...limitHeaders(limit, { count: limit + 1, resetAtMs }), ...retryAfter(resetAtMs, nowMs) })
}
