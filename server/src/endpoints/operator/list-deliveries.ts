import { operator } from '../../access/operator.ts'
import type { Dialect } from '../../api/declare/dialect.ts'
import { endpoint } from '../../api/declare/endpoint.ts'
import { id, integer, iso, listOf, matching, nullable, object, oneOf, optional, text, timestamp } from '../../api/declare/words.ts'
import { refusingCallback } from '../../delivery/refusing-callback.ts'
import { MAX_RESPONSE_LENGTH } from '../../delivery/send/response-text.ts'
import { publicId, sequenceOf } from '../../lib/ids.ts'
import type { DeliveryReport, EventLog } from '../../storage/event-log.ts'
import type { Webhook, WebhookStore } from '../../storage/webhooks.ts'
import { operatorPage } from './operator-page.ts'

const states = ['pending', 'delivered', 'retrying', 'given_up', 'not_sent'] as const

const attemptSchema = object({
  n: integer({ min: 0 }),
  at: timestamp(),
  outcome: oneOf(['delivered', 'failed', 'not_sent']),
  status: nullable(integer()),
  latency_ms: integer({ min: 0 }),
  error: text({ min: 0 }),
  response: text({
    min: 0,
    description: `The first ${MAX_RESPONSE_LENGTH} characters of the response body; what does not print is replaced.`,
  }),
  hint: optional(text({ description: 'Of an attempt that was answered with 401 or 403: what may be wrong with the signature.' })),
  replay_job_id: nullable(id()),
})

const deliverySchema = object({
  event_uuid: text(),
  event_type: text(),
  webhook_id: id(),
  app_id: nullable(id({ description: 'The app of the webhook; null if the webhook is deleted, like `url`.' })),
  url: nullable(text({ description: 'The callback URL.' })),
  accepted_at: timestamp(),
  state: oneOf(states),
  next_try_at: nullable(timestamp()),
  attempts: listOf(attemptSchema),
})

interface Row {
  report: DeliveryReport
  webhook: Webhook | undefined
}

/** The reports with their webhooks, each of which is looked up once. */
async function withWebhooks(webhooks: WebhookStore, reports: readonly DeliveryReport[]): Promise<Row[]> {
  const ids = [...new Set(reports.map(({ webhookId }) => webhookId))]
  const found = new Map(await Promise.all(ids.map(async (webhookId) => [webhookId, await webhooks.byId(webhookId)] as const)))
  return reports.map((report) => ({ report, webhook: found.get(report.webhookId) }))
}

const hintOf = (attempt: DeliveryReport['attempts'][number], dialect: Dialect) => {
  const hint = refusingCallback(attempt, dialect.name)
  return hint === undefined ? {} : { hint }
}

const deliveryView = ({ report, webhook }: Row, dialect: Dialect) => ({
  event_uuid: report.eventUuid,
  event_type: report.eventType,
  webhook_id: report.webhookId,
  app_id: webhook?.appId ?? null,
  url: webhook?.url ?? null,
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
    response: attempt.response,
    ...hintOf(attempt, dialect),
    replay_job_id: attempt.replayJobId,
  })),
})

const page = operatorPage('before', id, deliverySchema)

interface Services {
  eventLog: EventLog
  webhooks: WebhookStore
  dialect: Dialect
}

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
  handle: ({ params }, { eventLog, webhooks, dialect }: Services) =>
    page.read(params.max_results, {
      async rows(limit) {
        const { webhook_id, event_uuid, state, before } = params
        const sequence = before === undefined ? undefined : sequenceOf(before)
        const reports = await eventLog.report({ webhookId: webhook_id, eventUuid: event_uuid, state, before: sequence, limit })
        return withWebhooks(webhooks, reports)
      },
      view: (row) => deliveryView(row, dialect),
      placeOf: ({ report }) => publicId(report.sequence),
    }),
})
