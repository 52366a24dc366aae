import { operator } from '../../access/operator.ts'
import { endpoint } from '../../api/declare/endpoint.ts'
import { invalidRequest } from '../../api/declare/problem.ts'
import { exactlyOne } from '../../api/declare/rules.ts'
import { anyObject, duration, integer, iso, listOf, matching, moment, object, optional, timestamp } from '../../api/declare/words.ts'
import type { Activity } from '../../lib/activity.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Semaphore } from '../../lib/mutex.ts'
import { parseDuration } from '../../lib/time.ts'
import type { Metadata } from '../../storage/metadata.ts'
import { advanceAndWait } from './activity.ts'
import { CLOCK_OFFSET, FARTHEST_MS } from './clock-offset.ts'

/** How much of what happened is answered. */
const MAX_HAPPENINGS = 1000

const mistake = (name: string, value: string, rule: string) =>
  invalidRequest([{ message: `$.${name}: ${rule}`, parameters: { [name]: [value] } }])

function aheadMs(nowMs: number, advance: string | undefined, set: string | undefined): number {
  const [name, value] = advance === undefined ? ['set', set ?? ''] : ['advance', advance]
  const ms = advance === undefined ? Date.parse(value) - nowMs : parseDuration(advance)
  if (ms === undefined || Number.isNaN(ms))
    throw mistake(name, value, advance === undefined ? 'must be an ISO 8601 time' : 'must be a duration such as 90s, 5m or 1h')
  if (ms < 0) throw mistake(name, value, `must not be before the current time ${iso(nowMs)}: the clock only moves forward`)
  if (ms > FARTHEST_MS) throw mistake(name, value, 'must be at most 366 days ahead')
  return ms
}

/** How far the wall clock is to be stepped, either way. */
function stepMs(step: string): number {
  const ms = parseDuration(step.replace(/^-/, ''))!
  if (ms > FARTHEST_MS) throw mistake('step', step, 'must be at most 366 days')
  return step.startsWith('-') ? -ms : ms
}

const happening = anyObject({
  description:
    'When (`at`), what (`kind`: `delivery`, `retry`, `replay`, `replay_job`, `challenge`, `scheduled_post`, `feed`, `product_set`, `image_check`, `upload`, `outbox`, `trim`, `not_awaited`), the ids of what it is about, and its `outcome`.',
  example: {
    at: '2026-03-01T12:00:05.000Z',
    kind: 'retry',
    event_uuid: '1997712707928100864',
    webhook_id: '1997712707928100865',
    attempt: 2,
    status: 200,
    outcome: 'delivered',
  },
})

export interface MoveClockServices {
  clock: Clock
  metadata: Metadata
  activity: Activity
  /** One at a time moves the clock, resets or restores. */
  inTurn: Semaphore
}

export const moveClock = endpoint({
  name: 'moveClock',
  route: 'POST /operator/clock',
  section: '§6',
  summary: 'Advance the clock. Everything that falls due in between runs, and has ended before the answer.',
  description:
    "Development only. The clock moves from timer to timer and waits after each until what it started has ended: deliveries with their retries, challenges, replays, feeds, scheduled posts and all other due work. The answer tells what happened, oldest first, at most 1,000 things; `meta.more` counts the rest. An endpoint that does not answer within a second of real time is not awaited: the clock moves on, and its deadline passes like any other. Calls of clients are not awaited, and background work that never ceases to begin for two seconds beside such calls (thirty without). Rate-limit windows and expiry follow this clock, and it survives a restart. Calls run one at a time. Of several processes on one PostgreSQL only this one's clock moves; what another process holds happens there, when its own clock says so. `step` sets only the wall clock, forward or back, like a correction of the system clock: dates follow it, timeouts and other timers do not.",
  auth: operator,
  params: {
    advance: optional(duration({ description: 'How far to advance the clock, as a duration.' })),
    set: optional(
      moment('^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d(:\\d\\d(\\.\\d{1,3})?)?Z$', {
        description: 'An ISO 8601 time in UTC, not before the current time.',
        mustBe: 'a time in UTC like 2026-03-01T12:00:00Z',
      }),
    ),
    step: optional(
      matching('^-?\\d{1,12}(\\.\\d{1,6})?(ms|s|m|h|d)$', {
        example: '-1h',
        mustBe: 'a duration such as 90s, 5m or -1h',
        description: 'A duration; a minus sign moves the wall clock back.',
      }),
    ),
  },
  rules: [exactlyOne('advance', 'set', 'step')],
  answer: object({
    data: object({ now: timestamp(), happened: listOf(happening) }),
    meta: optional(object({ more: integer({ min: 1, description: 'How many more things happened.' }) })),
  }),
  handle: ({ params: { advance, set, step } }, { clock, metadata, activity, inTurn }: MoveClockServices) =>
    inTurn(async () => {
      const { happened, more } = await activity.collect(MAX_HAPPENINGS, async () => {
        if (step === undefined) await advanceAndWait(clock, activity, aheadMs(clock.now(), advance, set))
        else clock.setOffset(clock.offset() + stepMs(step))
        await metadata.set(CLOCK_OFFSET, String(clock.offset()))
      })
      return { data: { now: iso(clock.now()), happened }, ...(more > 0 && { meta: { more } }) }
    }),
})
