import type { Dialect } from '../../api/declare/dialect.ts'
import { id, integer, iso, nullable, object, oneOf, optional, text, timestamp } from '../../api/declare/words.ts'
import type { UnderWay } from '../../delivery/dispatch/under-way.ts'
import { refusingCallback } from '../../delivery/refusing-callback.ts'
import { realTimer } from '../../lib/clock.ts'
import { formatDuration, SECOND_MS } from '../../lib/time.ts'
import type { DeliveryReport, EventLog } from '../../storage/event-log.ts'
import type { WebhookStore } from '../../storage/webhooks.ts'
import type { CausedEvent } from './caused.ts'
import type { Watch } from './first-attempts.ts'

/** A delivery of an event that a trigger caused. */
export const toldDeliverySchema = object({
  webhook_id: id(),
  url: nullable(text({ description: 'The callback URL; null if the webhook is deleted, like `app_id`.' })),
  app_id: nullable(id()),
  event_uuid: text(),
  event_type: text(),
  attempt: integer({ min: 0, description: 'The number of the last attempt; 0 if there was none.' }),
  status: nullable(integer({ description: 'What the callback answered; null if it did not.' })),
  outcome: oneOf(['delivered', 'failed', 'not_sent', 'under_way']),
  duration_ms: optional(integer({ min: 0 })),
  error: optional(text({ description: 'Why it was not delivered.' })),
  response: optional(text({ description: 'The beginning of what the callback answered with an error.' })),
  hint: optional(text({ description: 'Where the callback answered 401 or 403: what may be wrong with the signature.' })),
  next_try_at: optional(timestamp()),
  reason: optional(text({ description: 'Of a delivery that is under way: why it was not waited for.' })),
})

export interface TellServices {
  eventLog: EventLog
  webhooks: WebhookStore
  dialect: Pick<Dialect, 'name'>
  underWay: () => UnderWay
  callbackTimeoutMs: number
}

/** The webhooks of one event that are told of. */
const MOST_TOLD = 1000

/** Deliveries before it may each take as long as one attempt. */
const ATTEMPTS_WAITED = 2

const keyOf = ({ eventUuid, webhookId }: DeliveryReport) => `${eventUuid} ${webhookId}`

/** The deliveries of these events, in the order of the events. */
async function reportsOf(caused: readonly CausedEvent[], { eventLog }: TellServices): Promise<DeliveryReport[]> {
  const delivered = caused.filter(({ accepted }) => accepted.deliveries > 0)
  const reports = delivered.map(({ accepted: { eventUuid } }) => eventLog.report({ eventUuid, limit: MOST_TOLD }))
  return (await Promise.all(reports)).flat()
}

/** Why an attempt was not waited for; undefined once it has ended. */
async function whyNotAwaited(report: DeliveryReport, watch: Watch, until: Promise<string>, { underWay }: TellServices) {
  const behind = underWay().whyBehind(report.webhookId)
  return behind ?? (await Promise.race([watch.attempted(report), until]))
}

/** Waits until these deliveries were attempted, for as long as attempts take; for each that was not the reason. */
async function awaitAttempts(reports: readonly DeliveryReport[], watch: Watch, services: TellServices): Promise<Map<string, string>> {
  const longestMs = ATTEMPTS_WAITED * services.callbackTimeoutMs + SECOND_MS
  const late = Promise.withResolvers<string>()
  const timer = realTimer(longestMs, () =>
    late.resolve(`no attempt has ended within ${formatDuration(Math.ceil(longestMs / SECOND_MS) * SECOND_MS)}`),
  )
  try {
    const reasons = reports.map(async (report) => [keyOf(report), await whyNotAwaited(report, watch, late.promise, services)] as const)
    return new Map((await Promise.all(reasons)).flatMap(([key, reason]) => (reason === undefined ? [] : [[key, reason]])))
  } finally {
    timer.cancel()
  }
}

function lastAttempt({ attempts }: DeliveryReport, dialect: TellServices['dialect']) {
  const last = attempts.at(-1)
  if (!last) return { attempt: 0, status: null, outcome: 'under_way' as const }
  const hint = refusingCallback(last, dialect.name)
  return {
    attempt: last.outcome === 'not_sent' ? last.n - 1 : last.n,
    status: last.status,
    outcome: last.outcome,
    ...(last.status !== null && { duration_ms: Math.round(last.latencyMs) }),
    ...(last.error !== '' && { error: last.error }),
    ...(last.error !== '' && last.response !== '' && { response: last.response }),
    ...(hint !== undefined && { hint }),
  }
}

/** What became of the deliveries of these events, once each was attempted. Those that cannot be waited for say why. */
export async function tellDeliveries(caused: readonly CausedEvent[], watch: Watch, services: TellServices) {
  const { eventLog, webhooks, dialect } = services
  const pending = (await reportsOf(caused, services)).filter(({ state }) => state === 'pending')
  const reasons = await awaitAttempts(pending, watch, services)
  // An attempt is told before it is committed.
  if (pending.length > 0) await eventLog.flush()
  const reports = await reportsOf(caused, services)
  return Promise.all(
    reports.map(async (report) => {
      const webhook = await webhooks.byId(report.webhookId)
      const reason = report.state === 'pending' ? reasons.get(keyOf(report)) : undefined
      return {
        webhook_id: report.webhookId,
        url: webhook?.url ?? null,
        app_id: webhook?.appId ?? null,
        event_uuid: report.eventUuid,
        event_type: report.eventType,
        ...lastAttempt(report, dialect),
        ...(report.nextTryAtMs !== null && report.state === 'retrying' && { next_try_at: iso(report.nextTryAtMs) }),
        ...(reason !== undefined && { reason }),
      }
    }),
  )
}
