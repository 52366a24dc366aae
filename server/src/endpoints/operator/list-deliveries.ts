import { operator } from '../../access/operator.ts'
import { endpoint } from '../../api/endpoint.ts'
import { id, integer, iso, listOf, matching, nullable, object, oneOf, optional, text, timestamp } from '../../api/words.ts'
import { publicId, sequenceOf } from '../../lib/ids.ts'
import type { DeliveryReport, EventLog } from '../../storage/event-log.ts'

const states = ['pending', 'delivered', 'retrying', 'given_up', 'not_sent'] as const

const attemptSchema = object({
  n: integer({ min: 0 }),
  at: timestamp(),
  outcome: oneOf(['delivered', 'failed', 'not_sent']),
  status: nullable(integer()),
  latency_ms: integer({ min: 0 }),
  error: text({ min: 0 }),
  replay_job_id: nullable(id()),
})

const deliverySchema = object({
  event_uuid: text(),
  event_type: text(),
  webhook_id: id(),
  accepted_at: timestamp(),
  state: oneOf(states),
  next_try_at: nullable(timestamp()),
  attempts: listOf(attemptSchema),
})

const deliveryView = (report: DeliveryReport) => ({
  event_uuid: report.eventUuid,
  event_type: report.eventType,
  webhook_id: report.webhookId,
  accepted_at: iso(report.acceptedAtMs),
  state: report.state,
  next_try_at: report.nextTryAtMs === null ? null : iso(report.nextTryAtMs),
  attempts: report.attempts.map((attempt) => ({
    n: attempt.n,
    at: iso(attempt.atMs),
    outcome: attempt.outcome,
    status: attempt.status,
    latency_ms: Math.round(attempt.latencyMs),
    error: attempt.error,
    replay_job_id: attempt.replayJobId,
  })),
})

export const listDeliveries = endpoint({
  name: 'listDeliveries',
  route: 'GET /operator/deliveries',
  section: '§6',
  summary: 'Deliveries with their attempts, newest first.',
  description: 'A page holds the deliveries of whole events, so it may be a little longer than `max_results`.',
  auth: operator,
  params: {
    webhook_id: optional(id()),
    event_uuid: optional(matching('^-?[0-9]{1,19}$', {})),
    state: optional(oneOf(states)),
    before: optional(id({ description: '`meta.next_before` of the page before.' })),
    max_results: optional(integer({ min: 1, max: 1000, default: 100 })),
  },
  answer: object({
    data: listOf(deliverySchema),
    meta: object({
      result_count: integer({ min: 0 }),
      next_before: optional(id({ description: 'There may be more: ask with this as `before`.' })),
    }),
  }),
  async handle({ params: { webhook_id, event_uuid, state, before, max_results = 100 } }, { eventLog }: { eventLog: EventLog }) {
    const query = { webhookId: webhook_id, eventUuid: event_uuid, state, before: before && sequenceOf(before), limit: max_results }
    const found = await eventLog.report(query as Parameters<EventLog['report']>[0])
    const more = found.length >= max_results && { next_before: publicId(found.at(-1)!.sequence) }
    return { data: found.map(deliveryView), meta: { result_count: found.length, ...more } }
  },
})
