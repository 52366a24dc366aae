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
