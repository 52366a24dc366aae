import { type ErrorDetail, invalidRequest } from '../../api/declare/problem.ts'
import { iso } from '../../api/declare/words.ts'
import { DAY_MS, MINUTE_MS } from '../../lib/time.ts'

/** So far a client's clock may be ahead. */
const AHEAD_MS = MINUTE_MS

interface Times {
  backfill_minutes?: number
  start_time?: string
  end_time?: string
}

const mistake = (name: keyof Times, value: string, rule: string): ErrorDetail => ({
  message: `The \`${name}\` query parameter value [${value}] ${rule}`,
  parameters: { [name]: [value] },
})

/** Which events a connection asks for, in milliseconds. Throws `invalid-request` for a time that lies in the future or too long ago. */
export function streamSpan({ backfill_minutes, start_time, end_time }: Times, nowMs: number) {
  const errors: ErrorDetail[] = []
  const [startMs, endMs] = [start_time, end_time].map((time) => (time === undefined ? undefined : Date.parse(time)))
  if (startMs !== undefined && startMs < nowMs - DAY_MS)
    errors.push(mistake('start_time', start_time!, `must be on or after [${iso(nowMs - DAY_MS)}]: events are kept for 24 hours`))
  for (const [name, time, ms] of [['start_time', start_time, startMs] as const, ['end_time', end_time, endMs] as const])
    if (ms !== undefined && ms > nowMs + AHEAD_MS) errors.push(mistake(name, time!, `must not lie after [${iso(nowMs)}], which is now`))
  if (errors.length > 0) throw invalidRequest(errors)
  const backfilledMs = backfill_minutes ? nowMs - backfill_minutes * MINUTE_MS : undefined
  return { fromMs: startMs === undefined ? backfilledMs : Math.min(startMs, nowMs), toMs: endMs }
}
