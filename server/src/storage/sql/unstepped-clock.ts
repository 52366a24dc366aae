import type { Clock } from '../../lib/clock.ts'
import { HOUR_MS } from '../../lib/time.ts'

const MAX_BEHIND_MS = 24 * HOUR_MS

/**
 * The wall clock without the steps forward since this was created, at most a day behind it. For deletions that would be wrong if a step of the clock
 * is reversed later.
 */
export function createUnsteppedNow(clock: Clock): () => number {
  let aheadMs = clock.now() - clock.elapsed()
  return () => {
    const [nowMs, elapsedMs] = [clock.now(), clock.elapsed()]
    aheadMs = Math.min(aheadMs, nowMs - elapsedMs)
    return Math.max(elapsedMs + aheadMs, nowMs - MAX_BEHIND_MS)
  }
}
