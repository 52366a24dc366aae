import { readFile } from 'node:fs/promises'
import { coded, Problem } from '../api/problem.ts'
import type { Turnstile } from '../api/serve.ts'
import type { Clock } from '../lib/clock.ts'
import { MINUTE_MS } from '../lib/duration.ts'
import type { RateWindows } from '../storage/rate-windows.ts'

export const RATE_WINDOW_MS = 15 * MINUTE_MS

/** Calls per 15 minutes and app, or user and app where a user signs, by endpoint (public practice). One that is not here is not limited. */
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
  deleteSubscriptions: 500,
  deleteSubscription: 500,
  obtainBearerToken: 450,
  invalidateBearerToken: 450,
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
export function createTurnstile(limits: Record<string, number>, windows: RateWindows, clock: Clock): Turnstile {
  return async (endpoint, caller) => {
    const limit = limits[endpoint.name]
    if (limit === undefined) return {}
    const { count, resetAtMs } = await windows.hit(`${endpoint.name}:${caller.rateKey}`, RATE_WINDOW_MS, clock.now())
    const headers = {
      'x-rate-limit-limit': String(limit),
      'x-rate-limit-remaining': String(Math.max(0, limit - count)),
      'x-rate-limit-reset': String(Math.ceil(resetAtMs / 1000)),
    }
    if (count <= limit) return headers
    const code = overLimitCodes[endpoint.name]
    throw code ? coded(code, headers) : new Problem('too-many-requests', {}, { headers })
  }
}
