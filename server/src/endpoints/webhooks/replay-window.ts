import { type ErrorDetail, invalidRequest } from '../../api/declare/problem.ts'
import { HOUR_MS, MINUTE_MS } from '../../lib/time.ts'

const REPLAY_WINDOW_MS = 24 * HOUR_MS

/** A minute in UTC, `yyyymmddhhmm` (§2.2), as milliseconds since 1970; undefined when no calendar has it. */
export function parseMinute(text: string): number | undefined {
  const [year, month, day, hour, minute] = [text.slice(0, 4), text.slice(4, 6), text.slice(6, 8), text.slice(8, 10), text.slice(10, 12)]
  const ms = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:00.000Z`)
  return Number.isNaN(ms) || formatMinute(ms) !== text ? undefined : ms
}

export const formatMinute = (ms: number) => new Date(ms).toISOString().replace(/[-T:]/g, '').slice(0, 12)

/**
 * The window of a replay: `from_date` inclusive, `to_date` exclusive, both in the past 24 hours, but `to_date` may be the next
 * full minute so that the running one can be replayed. Throws with every rule that is broken, by name.
 */
export function replayWindow(from_date: string, to_date: string, nowMs: number): { fromMs: number; toMs: number } {
  const thisMinuteMs = nowMs - (nowMs % MINUTE_MS)
  const earliestMs = thisMinuteMs - REPLAY_WINDOW_MS
  const latestMs = thisMinuteMs + MINUTE_MS
  const mistakes: ErrorDetail[] = []
  const refuse = (name: string, value: string, rule: string) =>
    mistakes.push({ message: `$.${name}: ${rule}`, parameters: { [name]: [value] } })

  const check = (name: string, value: string): number => {
    const ms = parseMinute(value)
    if (ms === undefined) refuse(name, value, 'must be a valid minute in UTC, written yyyymmddhhmm')
    else if (ms < earliestMs) refuse(name, value, `must be within the past 24 hours: at the earliest ${formatMinute(earliestMs)}`)
    else if (ms > latestMs) refuse(name, value, `must not be in the future: at the latest ${formatMinute(latestMs)}, the next full minute`)
    return ms ?? Number.NaN
  }

  const fromMs = check('from_date', from_date)
  const toMs = check('to_date', to_date)
  if (mistakes.length === 0 && fromMs >= toMs) refuse('from_date', from_date, 'must be before to_date, which is exclusive')
  if (mistakes.length > 0) throw invalidRequest(mistakes)
  return { fromMs, toMs }
}
