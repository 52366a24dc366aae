import { readFile } from 'node:fs/promises'
import { areas } from '../api/areas.ts'
import type { Caller } from '../api/declare/auth.ts'
import type { Endpoint } from '../api/declare/endpoint.ts'
import { coded, Problem } from '../api/declare/problem.ts'
import type { CountCall } from '../api/serve.ts'
import type { Clock } from '../lib/clock.ts'
import { MINUTE_MS } from '../lib/time.ts'
import type { RateWindows, Window } from '../storage/rate-windows.ts'

const headerNames = (prefix: string) => ({ limit: `${prefix}-limit`, remaining: `${prefix}-remaining`, reset: `${prefix}-reset` })

/** The headers that say what is left to a caller, and to an account too. */
const OF_CALLER = [headerNames('x-rate-limit')]
const OF_ACCOUNT = [...OF_CALLER, headerNames('x-account-rate-limit')]

/** What is left of a limit, in the headers of every answer that is counted by it. The reset is in seconds since 1970. */
export function limitHeaders(limit: number, { count, resetAtMs }: Window, names = OF_CALLER) {
  const headers: Record<string, string> = {}
  const [most, remaining, reset] = [String(limit), String(Math.max(0, limit - count)), String(Math.ceil(resetAtMs / 1000))]
  for (const name of names) {
    headers[name.limit] = most
    headers[name.remaining] = remaining
    headers[name.reset] = reset
  }
  return headers
}

/** How long to wait until a moment, in whole seconds, at least one. */
export const retryAfter = (untilMs: number, nowMs: number) => ({ 'retry-after': String(Math.max(1, Math.ceil((untilMs - nowMs) / 1000))) })

const RATE_WINDOW_MS = 15 * MINUTE_MS

/** The limits of the advertising hosts, which endpoints share (public practice). */
const adsLimits = { adsWrites: 450, adsAudienceUsers: 1500, adsCoreReads: 10_000, adsReads: 2000, adsTotals: 200 }

/** Wrong credentials per window, counted for each address (`access/failed-attempts.ts`). */
const failureLimits = { failedAppSecrets: 100, failedClientSecrets: 100, failedSignatures: 450, failedOperatorTokens: 100 }

/** Calls of an app's portal per window: some people who follow it all day. Acts are in the audit log, which they must not fill. */
const portalLimits = { portalReads: 3000, portalActs: 100 }

/** The name of the limit for which a call counts. */
export const limitNameOf = (endpoint: Endpoint, query = ''): string => areas[endpoint.area].limitName(endpoint, query)

/** How often something may be called or fail. */
export interface RateLimits {
  /** Calls per window of the limits that endpoints share, and wrong credentials; those that are off are not there. */
  shared: Readonly<Record<string, number>>
  /** The limit for which a call counts; calls without one are not counted. */
  ofCall(endpoint: Endpoint, query?: string): { name: string; most: number | undefined }
}

/** An endpoint that declares a number has a limit of its own, under its name. */
const declaredLimit = ({ rateLimit, limitName }: Endpoint, name: string) =>
  typeof rateLimit === 'number' && name === limitName ? rateLimit : undefined

/** The declared limits but for those that are overridden, by name. */
export function rateLimitsWith(overrides: Record<string, number>): RateLimits {
  const shared: Record<string, number> = { ...adsLimits, ...failureLimits, ...portalLimits, ...overrides }
  return {
    shared,
    ofCall(endpoint, query) {
      const name = limitNameOf(endpoint, query)
      return { name, most: shared[name] ?? declaredLimit(endpoint, name) }
    },
  }
}

export const declaredLimits = rateLimitsWith({})

const noLimits: RateLimits = { shared: {}, ofCall: (endpoint, query) => ({ name: limitNameOf(endpoint, query), most: undefined }) }

/** The names of the endpoints whose calls are limited. */
export const limitedEndpoints = (endpoints: readonly Endpoint[], limits: RateLimits): string[] =>
  endpoints.filter((endpoint) => limits.ofCall(endpoint).most !== undefined).map(({ name }) => name)

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
  (limits: RateLimits) =>
  (endpoint: Endpoint): string | undefined => {
    const { name, most } = limits.ofCall(endpoint)
    if (most === undefined) return undefined
    const usual = endpoint.auth.name === null ? ' and address' : (perWhom[endpoint.auth.name] ?? ' and app')
    const counted =
      {
        adsWrites: ' and user, with all other writes',
        adsAudienceUsers: ' and user',
        adsCoreReads: ' and account',
        adsReads: ' and user',
      }[name] ?? usual
    const totals = 'with_total_count' in endpoint.params ? `; ${limits.shared.adsTotals} for each user with \`with_total_count\`` : ''
    return `${most} calls per ${windowMsOf(name) === MINUTE_MS ? 'minute' : '15 minutes'}${counted}${totals}`
  }

/** The counter's key: writes share one, reads have one per endpoint, core reads one per account. */
function windowOf(endpoint: Endpoint, { rateKey, accountKey, countedBy }: Caller, limitName: string): string {
  if (countedBy !== undefined) return `${countedBy}:${rateKey}`
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

/**
 * Reads `POSTERN_RATE_LIMITS`: the declared limits, none, or those with the overrides of a JSON file, which may name each of them. Throws for
 * an invalid file.
 */
export async function readRateLimits(setting: string, load: () => Promise<readonly Endpoint[]>): Promise<RateLimits> {
  if (setting === 'off') return noLimits
  if (setting === 'on') return declaredLimits
  const overrides = await readOverrides(setting)
  const declared = (await load()).filter(({ rateLimit }) => typeof rateLimit === 'number').map(({ limitName }) => limitName)
  const names = [...new Set([...declared, ...Object.keys(declaredLimits.shared)])]
  for (const [name, limit] of Object.entries(overrides)) {
    if (!names.includes(name)) throw new Error(`POSTERN_RATE_LIMITS: ${setting} names ${name}, which is not one of ${names.join(', ')}`)
    if (!Number.isSafeInteger(limit) || (limit as number) < 0)
      throw new Error(`POSTERN_RATE_LIMITS: ${setting}: ${name} must be a whole number`)
  }
  return rateLimitsWith(overrides as Record<string, number>)
}

/**
 * Counts each call in the caller's window for the endpoint; 429 with `retry-after` beyond the limit, which is reported to `limited`. Every
 * counted response has the remaining calls in headers.
 */
export function createRateLimiter(
  limits: RateLimits,
  windows: RateWindows,
  clock: Clock,
  limited: (endpointName: string) => void = () => {},
): CountCall {
  return (endpoint, caller, request) => {
    const { name: limitName, most: limit } =
      caller.countedBy === undefined
        ? limits.ofCall(endpoint, request.query)
        : { name: caller.countedBy, most: limits.shared[caller.countedBy] }
    if (limit === undefined) return {}
    const pass = (window: Window) => {
      const headers = limitHeaders(limit, window, limitName === 'adsCoreReads' && caller.accountKey ? OF_ACCOUNT : OF_CALLER)
      if (window.count <= limit) return headers
      limited(endpoint.name)
      throw overLimit(endpoint, { ...headers, ...retryAfter(window.resetAtMs, clock.now()) })
    }
    const counted = windows.hit(windowOf(endpoint, caller, limitName), windowMsOf(limitName), clock.now())
    return counted instanceof Promise ? counted.then(pass) : pass(counted)
  }
}

const overLimit = ({ overLimitCode }: Endpoint, headers: Record<string, string>): Problem =>
  overLimitCode ? coded(overLimitCode, headers) : new Problem('too-many-requests', {}, { headers })

/** The limit of a call that has none, where one is made up. */
const MADE_UP_LIMIT = 15

/** The refusal of a call that is over its limit in a window that has just begun, whatever the caller has left. */
export function overLimitNow(endpoint: Endpoint, query: string, limits: RateLimits, nowMs: number): Problem {
  const { name, most: limit = MADE_UP_LIMIT } = limits.ofCall(endpoint, query)
  const resetAtMs = nowMs + windowMsOf(name)
  return overLimit(endpoint, { ...limitHeaders(limit, { count: limit + 1, resetAtMs }), ...retryAfter(resetAtMs, nowMs) })
}
