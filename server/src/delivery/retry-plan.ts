/** A larger Retry-After is reduced to this. */
const MAX_RETRY_AFTER_MS = 3_600_000

/** How a retry is spread: `full` at random between now and the plan's delay, `none` not at all: it comes after the whole delay. */
export type Jitter = 'full' | 'none'

/** The share of the plan's delay that is waited. */
const shares: Record<Jitter, () => number> = { full: Math.random, none: () => 1 }

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
  share = shares[jitter],
): number | null {
  const longest = plan[attemptsMade - 1]
  if (longest === undefined) return null
  const jittered = Math.max(1, Math.round(share() * longest))
  return nowMs + Math.max(jittered, retryAfter ?? 0)
}
