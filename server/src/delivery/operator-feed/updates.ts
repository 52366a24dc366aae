import { boolean, eitherOf, integer, listOf, nullable, object, oneOf, type Static, text, timestamp } from '../../api/declare/words.ts'
import { deliveryStates } from '../../storage/event-log.ts'

const call = object({
  kind: oneOf(['call']),
  at: timestamp(),
  sequence: integer({ min: 1 }),
  method: text(),
  path: text(),
  endpoint: nullable(text()),
  app_id: nullable(text()),
  user_id: nullable(text()),
  status: integer(),
  duration_ms: integer({ min: 0 }),
  unmatched: listOf(object({ event_type: text(), user_id: text() }), { description: 'Events that nobody got.' }),
})

const event = object({
  kind: oneOf(['event']),
  at: timestamp(),
  event_uuid: text(),
  event_type: text(),
  user_id: text(),
  deliveries: integer({ min: 0, description: 'How many webhooks it goes to.' }),
  webhook_ids: listOf(text(), { description: 'The first of them.' }),
  kept_back: listOf(text(), { description: 'Of these, the ones whose delivery is kept back.' }),
})

const attempt = object({
  kind: oneOf(['attempt']),
  at: timestamp(),
  accepted_at: timestamp({ description: 'When the event was accepted.' }),
  event_uuid: text(),
  event_type: text(),
  webhook_id: text(),
  n: integer({ min: 0 }),
  outcome: oneOf(['delivered', 'failed', 'not_sent']),
  status: nullable(integer()),
  latency_ms: integer({ min: 0 }),
  state: oneOf(deliveryStates, { description: 'Of its delivery, now.' }),
  next_try_at: nullable(timestamp()),
  is_replay: boolean(),
})

const challenge = object({
  kind: oneOf(['challenge']),
  at: timestamp(),
  webhook_id: nullable(text()),
  app_id: nullable(text()),
  passed: boolean(),
})

/** What a feed tells of: ids and states. Whoever wants more asks for it. */
export const updateSchema = eitherOf(call, event, attempt, challenge)

export type Update = Static<typeof updateSchema>
