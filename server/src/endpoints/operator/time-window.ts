import { invalidRequest } from '../../api/declare/problem.ts'
import { moment } from '../../api/declare/words.ts'

/** A time of a window, with seconds and milliseconds or without. */
export const windowTime = (description: string) =>
  moment('^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d(:\\d\\d(\\.\\d{1,3})?)?Z$', {
    description,
    example: '2026-03-01T12:00:00Z',
    mustBe: 'a time in UTC like 2026-03-01T12:00:00Z',
  })

/** The window in milliseconds. Throws unless it has a length. `prefix` is what the names of its parameters begin with. */
export function windowOf(from: string, to: string, prefix = ''): { fromMs: number; toMs: number } {
  const window = { fromMs: Date.parse(from), toMs: Date.parse(to) }
  if (window.fromMs < window.toMs) return window
  throw invalidRequest([
    { message: `$.${prefix}from: must be before ${prefix}to, which is exclusive`, parameters: { [`${prefix}from`]: [from] } },
  ])
}
