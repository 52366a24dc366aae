import type { Clock } from '../../lib/clock.ts'
import { momentOf } from '../../lib/ids.ts'
import { HOUR_MS } from '../../lib/time.ts'
import type { StorageLog } from '../storage-log.ts'

/** Warns if the next events are dated more than an hour ahead of the clock, because `newest` was numbered by one that was ahead itself. */
export function warnOfDatesAhead(newest: number, clock: Clock, log: StorageLog | undefined): void {
  const aheadMs = momentOf(newest) - clock.now()
  if (aheadMs < HOUR_MS) return
  log?.warn(
    { ahead_hours: Math.round(aheadMs / HOUR_MS) },
    'a clock that was ahead has dated events of this process: until then those that it accepts are dated after them, a replay of the last hours does not find them, and they are deleted later',
  )
}
