import { CLOCK_SKEW_MS, type RateWindows, type Window } from '../../rate-windows.ts'

/**
 * The maximum of windows of one kind and length; beyond it the one of them that began first is evicted. Made-up keys of wrong credentials so
 * evict no limit of a known caller, and those of short windows none of a day.
 */
const LIMIT_OF_KIND = 100_000

/** After this many new windows the ended ones are removed. */
const SWEEP_EVERY = 10_000

export interface MemoryRateWindows extends RateWindows {
  /** Drops all windows; those of a copy are there then. */
  clear(copy?: WindowCopy): void
  copy(): WindowCopy
  size(): number
}
export type WindowCopy = readonly (readonly [kind: string, windows: ReadonlyMap<string, Window>])[]

/** Keys begin with what is limited: `createPost:user:1:101`. */
const kindOf = (key: string, windowMs: number) => `${key.slice(0, key.indexOf(':'))} ${windowMs}`

const copyOf = (windows: ReadonlyMap<string, Window>) => new Map([...windows].map(([key, window]) => [key, { ...window }]))

/** Rate windows for a database with a single process. */
export function createMemoryRateWindows(limit = LIMIT_OF_KIND, sweepEvery = SWEEP_EVERY): MemoryRateWindows {
  /** By their kind and length, each in the order in which they began. */
  const byKind = new Map<string, Map<string, Window>>()
  let begun = 0

  const sweep = (nowMs: number) => {
    for (const windows of byKind.values()) for (const [key, { resetAtMs }] of windows) if (resetAtMs <= nowMs) windows.delete(key)
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
      const kind = kindOf(key, windowMs)
      const windows = byKind.get(kind) ?? new Map<string, Window>()
      byKind.set(kind, windows)
      const known = windows.get(key)
      const isOpen = known && known.resetAtMs > nowMs && known.resetAtMs <= nowMs + windowMs + CLOCK_SKEW_MS
      const window = isOpen ? known : begin(windows, key, nowMs + windowMs, nowMs)
      window.count = Math.max(0, window.count + weight)
      return { ...window }
    },
    clear(copy = []) {
      byKind.clear()
      for (const [kind, windows] of copy) byKind.set(kind, copyOf(windows))
    },
    copy: () => [...byKind].map(([kind, windows]) => [kind, copyOf(windows)]),
    size: () => [...byKind.values()].reduce((sum, windows) => sum + windows.size, 0),
  }
}
