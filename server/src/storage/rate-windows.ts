import { MINUTE_MS } from '../lib/time.ts'

/**
 * A window that ends more than this beyond its length began in the future: the clock was set back since, and whoever stands at the limit
 * would be locked out for as long. Such a window begins anew. Clocks of processes that share a database differ by less.
 */
export const CLOCK_SKEW_MS = MINUTE_MS

export interface Window {
  /** How many calls this window has counted, this one included. */
  count: number
  resetAtMs: number
}

/** Counts calls in fixed windows, by key. A window begins with its first call. Shared by all processes of a database. */
export interface RateWindows {
  /** Counts `weight` calls, one unless it says otherwise; −1 takes one back, of those that its window has. */
  hit(key: string, windowMs: number, nowMs: number, weight?: number): Promise<Window>
}
