import { adsProblem } from '../../../../api/declare/problem.ts'
import { DAY_MS, MINUTE_MS } from '../../../../lib/time.ts'

const MOST_AHEAD_MS = 365 * DAY_MS

/** The minute of a `scheduled_at`. Throws unless it lies in the future, and at most a year ahead (public practice). */
export function atMinute(scheduledAt: string, nowMs: number): number {
  const minute = Math.floor(Date.parse(scheduledAt) / MINUTE_MS) * MINUTE_MS
  if (minute <= nowMs || minute > nowMs + MOST_AHEAD_MS)
    throw adsProblem('INVALID_PARAMETER', 'scheduled_at must be a minute in the future, at most a year ahead', 'scheduled_at')
  return minute
}
