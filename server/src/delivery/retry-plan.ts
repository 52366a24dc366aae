/** A larger Retry-After is reduced to this. */
export const MAX_RETRY_AFTER_MS = 3_600_000

/** How a retry is spread: `equal` at random between half of the plan's delay and all of it, `none` not at all: it comes after the whole delay. */
export type Jitter = 'equal' | 'none'

/** At least half is waited, so that a plan of hours is not over in minutes. */
const LEAST_SHARE = 0.5

/** The share of the plan's delay that is waited, by a random number from 0 to 1. */
const shares: Record<Jitter, (random: number) => number> = {
  equal: (random) => LEAST_SHARE + random * (1 - LEAST_SHARE),
  none: () => 1,
}

/** Reads a Retry-After header, seconds or an HTTP date, as milliseconds from now, bounded; undefined when it is neither. */
export function retryAfterMs(header: string | undefined, nowMs: number): number | undefined {
  if (header === undefined) return undefined
  const ms = /^\d{1,10}$/.test(header) ? Number(header) * 1000 : Date.parse(header) - nowMs
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(0, ms), MAX_RETRY_AFTER_MS)
}

/**
 * When to try again after `attemptsMade` attempts, in milliseconds of the epoch; null at the end of the plan. Not before a Retry-After.
 */
export function nextTryMs(
  plan: readonly number[],
  attemptsMade: number,
  nowMs: number,
  retryAfter: number | undefined,
  jitter: Jitter,
  random = Math.random,
): number | null {
  const longest = plan[attemptsMade - 1]
  if (longest === undefined) return null
  const jittered = Math.max(1, Math.round(shares[jitter](random()) * longest))
  return nowMs + Math.max(jittered, retryAfter ?? 0)
}
