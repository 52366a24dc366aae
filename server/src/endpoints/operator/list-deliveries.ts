import { operator } from '../../access/operator.ts'
import { endpoint } from '../../api/declare/endpoint.ts'
import { id, integer, iso, listOf, matching, nullable, object, oneOf, optional, text, timestamp } from '../../api/declare/words.ts'
import { publicId, sequenceOf } from '../../lib/ids.ts'
import type { DeliveryReport, EventLog } from '../../storage/event-log.ts'
import { operatorPage } from './operator-page.ts'

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

const page = operatorPage('before', id, deliverySchema)

export const listDeliveries = endpoint({
  name: 'listDeliveries',
  route: 'GET /operator/deliveries',
  section: '§6',
  summary: 'List deliveries with their attempts, newest first.',
  description: 'A page never splits the deliveries of one event, so it may be a little longer than `max_results`.',
  auth: operator,
  params: {
    webhook_id: optional(id()),
    event_uuid: optional(matching('^-?[0-9]{1,19}$', { mustBe: 'a whole number of at most 19 digits' })),
    state: optional(oneOf(states)),
    ...page.params,
  },
  answer: page.answer,
  handle: ({ params: { webhook_id, event_uuid, state, before, max_results } }, { eventLog }: { eventLog: EventLog }) =>
    page.read(max_results, {
      rows(limit) {
        const sequence = before === undefined ? undefined : sequenceOf(before)
        return eventLog.report({ webhookId: webhook_id, eventUuid: event_uuid, state, before: sequence, limit })
      },
      view: deliveryView,
      placeOf: ({ sequence }) => publicId(sequence),
    }),
})
