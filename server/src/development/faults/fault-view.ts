import { boolean, duration, id, integer, iso, listOf, object, optional, type Static, text, timestamp } from '../../api/declare/words.ts'
import { formatDuration } from '../../lib/time.ts'
import type { Effect, Fault } from './fault.ts'

/** The effects of a fault as they are sent and shown: one of them is given. */
export const effectWords = {
  status: optional(
    integer({ min: 200, max: 599, example: 429, description: 'A call is refused with it, a callback is taken to have answered it.' }),
  ),
  delay: optional(duration({ example: '2s', description: 'At most 5 minutes. It follows the clock, so that moving the clock ends it.' })),
  cut: optional(boolean({ description: 'What is asked is done, and the answer is lost: of that to a call half arrives.' })),
  garbage: optional(
    boolean({ description: 'Bytes that are not JSON: in the answer to a call, in place of an event, in the answer to a challenge.' }),
  ),
  duplicate: optional(boolean({ description: 'A delivery is sent twice.' })),
  reorder: optional(boolean({ description: 'A delivery waits until the next one of its webhook was sent, for at most 2 s.' })),
  drop: optional(boolean({ description: 'A delivery is taken to have been acknowledged and is not sent: only a replay brings it.' })),
  wrong_signature: optional(boolean({ description: 'An event or a challenge is signed with another secret.' })),
}

const hitSchema = object({
  at: timestamp(),
  what: text({ description: 'The call, or the event type.' }),
  app_id: optional(id()),
  webhook_id: optional(id()),
  event_uuid: optional(text()),
})

export const faultSchema = object({
  id: id({ example: '1' }),
  call: optional(text()),
  delivery: optional(text()),
  app_id: optional(id()),
  webhook_id: optional(id()),
  ...effectWords,
  times_left: integer({ min: 0, description: 'How many more times it hits.' }),
  hits: listOf(hitSchema, { description: 'The last times that it hit, oldest first.' }),
  created_at: timestamp(),
})

function effectView(effect: Effect): Pick<Static<typeof faultSchema>, keyof typeof effectWords> {
  if (effect.kind === 'status') return { status: effect.status }
  if (effect.kind === 'delay') return { delay: formatDuration(effect.delayMs) }
  return { [effect.kind]: true }
}

const given = <Value>(name: string, value: Value | undefined) => (value === undefined ? {} : { [name]: value })

export const faultView = ({ id, aim, effect, timesLeft, hits, createdAtMs }: Fault): Static<typeof faultSchema> => ({
  id,
  ...given('call', aim.call),
  ...given('delivery', aim.delivery),
  ...given('app_id', aim.appId),
  ...given('webhook_id', aim.webhookId),
  ...effectView(effect),
  times_left: timesLeft,
  hits: hits.map(({ atMs, what, appId, webhookId, eventUuid }) => ({
    at: iso(atMs),
    what,
    ...given('app_id', appId),
    ...given('webhook_id', webhookId),
    ...given('event_uuid', eventUuid),
  })),
  created_at: iso(createdAtMs),
})
