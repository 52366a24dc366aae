import { CLOCK_SKEW_MS, type RateWindows, type Window } from '../../rate-windows.ts'

/**
 * The maximum of windows of one length; beyond it the one of them that began first is evicted. Each length has its own, so that made-up keys
 * of short windows evict none of a day.
 */
const LIMIT_OF_LENGTH = 100_000

/** After this many new windows the ended ones are removed. */
const SWEEP_EVERY = 10_000

export interface MemoryRateWindows extends RateWindows {
  /** Drops all windows; those of a copy are there then. */
  clear(copy?: WindowCopy): void
  copy(): WindowCopy
  size(): number
}
export type WindowCopy = readonly (readonly [windowMs: number, windows: ReadonlyMap<string, Window>])[]

const copyOf = (windows: ReadonlyMap<string, Window>) => new Map([...windows].map(([key, window]) => [key, { ...window }]))

/** Rate windows for a database with a single process. */
export function createMemoryRateWindows(limit = LIMIT_OF_LENGTH, sweepEvery = SWEEP_EVERY): MemoryRateWindows {
  /** By their length, each in the order in which they began. */
  const byLength = new Map<number, Map<string, Window>>()
  let begun = 0

  const sweep = (nowMs: number) => {
    for (const windows of byLength.values()) for (const [key, { resetAtMs }] of windows) if (resetAtMs <= nowMs) windows.delete(key)
  }

  const begin = (windows: Map<string, Window>, key: string, resetAtMs: number, nowMs: number): Window => {
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
      const windows = byLength.get(windowMs) ?? new Map<string, Window>()
      byLength.set(windowMs, windows)
      const known = windows.get(key)
      const isOpen = known && known.resetAtMs > nowMs && known.resetAtMs <= nowMs + windowMs + CLOCK_SKEW_MS
      const window = isOpen ? known : begin(windows, key, nowMs + windowMs, nowMs)
      window.count = Math.max(0, window.count + weight)
      return { ...window }
    },
    clear(copy = []) {
      byLength.clear()
      for (const [windowMs, windows] of copy) byLength.set(windowMs, copyOf(windows))
    },
    copy: () => [...byLength].map(([windowMs, windows]) => [windowMs, copyOf(windows)]),
    size: () => [...byLength.values()].reduce((sum, windows) => sum + windows.size, 0),
  }
}
