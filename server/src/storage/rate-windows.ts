import { MINUTE_MS } from '../lib/time.ts'

/**
 * A window that ends later than its length and this from now began before the clock was set back. A caller at its limit would be locked
 * out for too long, so the window is restarted. Clocks of processes that share a database differ by less than this.
 */
export const CLOCK_SKEW_MS = MINUTE_MS

export interface Window {
  /** The calls counted in this window, including this one. */
  count: number
  resetAtMs: number
}

/** Fixed-window counters by key, shared by all processes of a database. A window begins with its first call. */
export interface RateWindows {
  /** Counts `weight` calls, 1 by default. −1 takes back a counted call of the current window. In memory it answers at once. */
  hit(key: string, windowMs: number, nowMs: number, weight?: number): Promise<Window> | Window
}
