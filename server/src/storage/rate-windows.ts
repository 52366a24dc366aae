export interface Window {
  /** How many calls this window has seen, this one included. */
  count: number
  resetAtMs: number
}

/** Counts calls in fixed windows, by key. A window begins with its first call. Shared by all processes of a database. */
export interface RateWindows {
  hit(key: string, windowMs: number, nowMs: number): Promise<Window>
}
