import { operator } from '../../access/operator.ts'
import { endpoint } from '../../api/declare/endpoint.ts'
import { invalidRequest } from '../../api/declare/problem.ts'
import { exactlyOne } from '../../api/declare/rules.ts'
import { duration, iso, matching, moment, object, optional, timestamp } from '../../api/declare/words.ts'
import type { Clock } from '../../lib/clock.ts'
import { parseDuration } from '../../lib/time.ts'
import type { Metadata } from '../../storage/metadata.ts'

/** The metadata under which the clock's offset survives a restart. */
export const CLOCK_OFFSET = 'clock_offset_ms'

const FARTHEST_MS = 366 * 86_400_000

const mistake = (name: string, value: string, rule: string) =>
  invalidRequest([{ message: `$.${name}: ${rule}`, parameters: { [name]: [value] } }])

function aheadMs(nowMs: number, advance: string | undefined, set: string | undefined): number {
  const [name, value] = advance === undefined ? ['set', set ?? ''] : ['advance', advance]
  const ms = advance === undefined ? Date.parse(value) - nowMs : parseDuration(advance)
  if (ms === undefined || Number.isNaN(ms))
    throw mistake(name, value, advance === undefined ? 'must be an ISO 8601 time' : 'must be a duration such as 90s, 5m or 1h')
  if (ms < 0) throw mistake(name, value, `must not be in the past: the clock only moves forward, and it is ${iso(nowMs)}`)
  if (ms > FARTHEST_MS) throw mistake(name, value, 'must be at most 366 days ahead')
  return ms
}

/** How far the wall clock is to be stepped, either way. */
function stepMs(step: string): number {
  const ms = parseDuration(step.replace(/^-/, ''))!
  if (ms > FARTHEST_MS) throw mistake('step', step, 'must be at most 366 days')
  return step.startsWith('-') ? -ms : ms
}

export const moveClock = endpoint({
  name: 'moveClock',
  route: 'POST /operator/clock',
  section: '§6',
  summary: 'Move the clock forward; everything that comes due on the way happens.',
  description:
    "Development only. Challenges, retries, windows and expiry all follow it, and it survives a restart. With `step` the wall clock alone is set, back or forth, as a correction of the machine's would: what has a date follows it, deadlines and other timers do not notice.",
  auth: operator,
  params: {
    advance: optional(duration({ description: 'A duration.' })),
    set: optional(
      moment('^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d(:\\d\\d(\\.\\d{1,3})?)?Z$', {
        description: 'An ISO 8601 time in UTC, not before now.',
        mustBe: 'a time in UTC like 2026-03-01T12:00:00Z',
      }),
    ),
    step: optional(
      matching('^-?\\d{1,12}(\\.\\d{1,6})?(ms|s|m|h|d)$', {
        example: '-1h',
        mustBe: 'a duration such as 90s, 5m or -1h',
        description: 'A duration; with a minus sign the clock goes back.',
      }),
    ),
  },
  rules: [exactlyOne('advance', 'set', 'step')],
  answer: object({ data: object({ now: timestamp() }) }),
  async handle({ params: { advance, set, step } }, { clock, metadata }: { clock: Clock; metadata: Metadata }) {
    if (step === undefined) clock.advance(aheadMs(clock.now(), advance, set))
    else clock.setOffset(clock.offset() + stepMs(step))
    await metadata.set(CLOCK_OFFSET, String(clock.offset()))
    return { data: { now: iso(clock.now()) } }
  },
})
