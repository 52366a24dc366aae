import { CLOCK_SKEW_MS, type RateWindows, type Window } from '../../rate-windows.ts'

/** The maximum of windows; beyond it the one that began first is evicted. */
const WINDOW_LIMIT = 100_000

/** After this many new windows the ended ones are removed. */
const SWEEP_EVERY = 10_000

export interface MemoryRateWindows extends RateWindows {
  /** Drops all windows; those of a copy are there then. */
  clear(copy?: WindowCopy): void
  copy(): WindowCopy
  size(): number
}
export type WindowCopy = readonly (readonly [key: string, window: Window])[]

/** Rate windows for a database with a single process. */
export function createMemoryRateWindows(limit = WINDOW_LIMIT, sweepEvery = SWEEP_EVERY): MemoryRateWindows {
  /** In the order in which they began. */
  const windows = new Map<string, Window>()
  let begun = 0

  const sweep = (nowMs: number) => {
    for (const [key, { resetAtMs }] of windows) if (resetAtMs <= nowMs) windows.delete(key)
  }

  const begin = (key: string, resetAtMs: number, nowMs: number): Window => {
    begun++
    if (begun % sweepEvery === 0) sweep(nowMs)
    windows.delete(key)
    if (windows.size >= limit) windows.delete(windows.keys().next().value!)
    const window = { count: 0, resetAtMs }
    windows.set(key, window)
    return window
  }

  return {
    hit(key, windowMs, nowMs, weight = 1) {
      const known = windows.get(key)
      const isOpen = known && known.resetAtMs > nowMs && known.resetAtMs <= nowMs + windowMs + CLOCK_SKEW_MS
      const window = isOpen ? known : begin(key, nowMs + windowMs, nowMs)
      window.count = Math.max(0, window.count + weight)
      return { ...window }
    },
    clear(copy = []) {
      windows.clear()
      for (const [key, window] of copy) windows.set(key, { ...window })
    },
    copy: () => [...windows].map(([key, window]) => [key, { ...window }]),
    size: () => windows.size,
  }
}
