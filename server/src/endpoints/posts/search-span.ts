import { invalidRequest } from '../../api/declare/problem.ts'

export const DAY_MS = 86_400_000

const RECENT_DAYS = 7
const USUAL_DAYS = 30

/** The earliest time of a recent search. Throws `invalid-request` for an earlier `start_time`. */
export function recentStart(start: string | undefined, nowMs: number): string {
  const from = new Date(nowMs - RECENT_DAYS * DAY_MS).toISOString()
  if (start === undefined || start >= from) return start ?? from
  const message = `The \`start_time\` query parameter value [${start}] must be on or after [${from}]: recent search covers ${RECENT_DAYS} days`
  throw invalidRequest([{ message, parameters: { start_time: [start] } }])
}

/** The earliest time of a search without a bound: as sent, or 30 days before its end, as in public practice. */
export const anyStart = ({ start_time, end_time }: { start_time?: string; end_time?: string }, nowMs: number): string =>
  start_time ?? new Date((end_time === undefined ? nowMs : Date.parse(end_time)) - USUAL_DAYS * DAY_MS).toISOString()
