import type { Logger } from 'pino'
import type { Clock } from '../lib/clock.ts'
import { monthOf } from '../lib/time.ts'
import type { AppUsage, UsageCounts } from '../storage/apps.ts'
import { logUnlessUnavailable } from '../storage/unavailable.ts'

/** Counts what apps were given. Never rejects. */
export type CountUsage = (counts: ReadonlyMap<string, UsageCounts>) => Promise<void>

/** A count that cannot be written is logged and lost: what was accepted must not be answered as refused. */
export function createCountUsage(usage: AppUsage, clock: Clock, logger: Logger): CountUsage {
  return async (counts) => {
    if (counts.size === 0) return
    await usage
      .add(counts, monthOf(clock.now()))
      .catch((error) => logUnlessUnavailable(logger, error, 'could not count what apps with a usage cap or a quota were given'))
  }
}
