import type { Clock } from '../../lib/clock.ts'
import { HOUR_MS } from '../../lib/time.ts'

const MOST_BEHIND_MS = 24 * HOUR_MS

/**
 * The wall clock without the steps forward it has made since this began, at most a day behind it. For deletions that must not be regretted
 * when a step turns out wrong and is taken back.
 */
export function createUnsteppedNow(clock: Clock): () => number {
  let aheadMs = Number.POSITIVE_INFINITY
  return () => {
    const [nowMs, elapsedMs] = [clock.now(), clock.elapsed()]
    aheadMs = Math.min(aheadMs, nowMs - elapsedMs)
    return Math.max(elapsedMs + aheadMs, nowMs - MOST_BEHIND_MS)
  }
}
