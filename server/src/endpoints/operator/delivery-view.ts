import type { Dialect } from '../../api/declare/dialect.ts'
import { id, integer, iso, listOf, nullable, object, oneOf, optional, text, timestamp } from '../../api/declare/words.ts'
import { isRestricted } from '../../delivery/attempt.ts'
import { refusingCallback } from '../../delivery/refusing-callback.ts'
import { NOT_REACHABLE } from '../../delivery/send/outcome.ts'
import { MAX_RESPONSE_LENGTH } from '../../delivery/send/printable.ts'
import { type Attempt, type DeliveryReport, deliveryStates } from '../../storage/event-log.ts'
import type { Webhook, WebhookStore } from '../../storage/webhooks.ts'
import { retryHint } from './retry-hint.ts'

const reached = nullable(integer({ min: 0 }))

const attemptSchema = object({
  n: integer({ min: 0 }),
  at: timestamp(),
  outcome: oneOf(['delivered', 'failed', 'not_sent']),
  status: nullable(integer()),
  latency_ms: integer({ min: 0 }),
  timing: optional(
    object(
      { resolved_ms: reached, connected_ms: reached, secured_ms: reached, answered_ms: reached },
      {
        description:
          'Milliseconds from the beginning until the name was resolved, the connection stood, TLS stood, and the head of the answer was there. Null for what was not come to, and for what an open connection did not need.',
      },
    ),
  ),
  error: text({ min: 0 }),
  response: text({
    min: 0,
    description: `The first ${MAX_RESPONSE_LENGTH} characters of the response body; what does not print is replaced.`,
  }),
  hint: optional(text({ description: 'Of an attempt that was answered with 401 or 403: what may be wrong with the signature.' })),
  replay_job_id: nullable(id()),
})

/** The members of a delivery. */
export const deliveryMembers = {
  event_uuid: text(),
  event_type: text(),
  user_id: text({ description: 'The user whom the event is about.' }),
  webhook_id: id(),
  app_id: nullable(id({ description: 'The app of the webhook; null if the webhook is deleted, like `url`.' })),
  url: nullable(text({ description: 'The callback URL.' })),
  accepted_at: timestamp(),
  state: oneOf(deliveryStates),
  next_try_at: nullable(timestamp()),
  hint: optional(text({ description: 'Of a delivery that is retried later than the plan of retries says: why.' })),
  attempts: listOf(attemptSchema),
}

export const deliverySchema = object(deliveryMembers)

export interface DeliveryRow {
  report: DeliveryReport
  webhook: Webhook | undefined
}

/** The reports with their webhooks, each of which is looked up once. */
export async function withWebhooks(webhooks: WebhookStore, reports: readonly DeliveryReport[]): Promise<DeliveryRow[]> {
  const ids = [...new Set(reports.map(({ webhookId }) => webhookId))]
  const found = new Map(await Promise.all(ids.map(async (webhookId) => [webhookId, await webhooks.byId(webhookId)] as const)))
  return reports.map((report) => ({ report, webhook: found.get(report.webhookId) }))
}

/** What the portal of an app sees of rows: those of the webhooks that the app has. An operator sees all. */
export const ofApp = (rows: DeliveryRow[], app: { id: string } | undefined): DeliveryRow[] =>
  app ? rows.filter(({ webhook }) => webhook?.appId === app.id) : rows

const wholeMs = (text: string) => (/^\d+$/.test(text) ? Number(text) : null)

/** Reads what `Steps` of the sender tells. Without TLS the request is sent once the connection stands. */
function timingView({ timing }: Pick<DeliveryReport['attempts'][number], 'timing'>) {
  const [resolved = null, secure = null, sent = null, answered = null] = timing.split(',').map(wholeMs)
  if (!/\d/.test(timing)) return {}
  return {
    timing: {
      resolved_ms: resolved,
      connected_ms: secure ?? (resolved === null ? null : sent),
      secured_ms: secure === null ? null : sent,
      answered_ms: answered,
    },
  }
}

const hintOf = (attempt: DeliveryReport['attempts'][number], dialect: Dialect) => {
  const hint = refusingCallback(attempt, dialect.name)
  return hint === undefined ? {} : { hint }
}

export interface DeliveryViewServices {
  dialect: Dialect
  retryPlanMs: readonly number[]
  /** Whether portals are told no details of callbacks that may be private (production): with names of its own an app could map the network. */
  hideRestricted: boolean
}

const hidden = { latencyMs: 0, timing: '', response: '' }

/** What a portal is told of an attempt where that must not reveal the network. */
const withoutNetwork = <A extends Attempt>(attempt: A): A => {
  if (!isRestricted(attempt)) return attempt
  return attempt.outcome === 'delivered' ? { ...attempt, ...hidden } : { ...attempt, ...hidden, status: null, error: NOT_REACHABLE }
}

const forPortal = (report: DeliveryReport): DeliveryReport => ({ ...report, attempts: report.attempts.map(withoutNetwork) })

const retryHintOf = (report: DeliveryReport, plan: readonly number[]) => {
  const hint = retryHint(report, plan)
  return hint === undefined ? {} : { hint }
}

/** A delivery as an operator sees it, or the portal of an app. */
export const deliveryView = (row: DeliveryRow, services: DeliveryViewServices, isPortal: boolean) =>
  viewOf(isPortal && services.hideRestricted ? { ...row, report: forPortal(row.report) } : row, services)

const viewOf = ({ report, webhook }: DeliveryRow, { dialect, retryPlanMs }: DeliveryViewServices) => ({
  event_uuid: report.eventUuid,
  event_type: report.eventType,
  user_id: report.userId,
  webhook_id: report.webhookId,
  app_id: webhook?.appId ?? null,
  url: webhook?.url ?? null,
  accepted_at: iso(report.acceptedAtMs),
  state: report.state,
  next_try_at: report.nextTryAtMs === null ? null : iso(report.nextTryAtMs),
  ...retryHintOf(report, retryPlanMs),
  attempts: report.attempts.map((attempt) => ({
    n: attempt.n,
    at: iso(attempt.atMs),
    outcome: attempt.outcome,
    status: attempt.status,
    latency_ms: Math.round(attempt.latencyMs),
    ...timingView(attempt),
    error: attempt.error,
    response: attempt.response,
    ...hintOf(attempt, dialect),
    replay_job_id: attempt.replayJobId,
  })),
})
