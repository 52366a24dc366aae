import type { AttemptListener } from '../delivery/dispatcher.ts'
import { momentOf } from '../lib/ids.ts'
import { deliverySpanId, readTraceparent } from '../lib/traceparent.ts'
import type { Attempt, Delivery, EventLog } from '../storage/event-log.ts'
import type { Traces } from './telemetry.ts'

/** Makes a span of each append, which the events keep: whoever delivers them goes on below it. */
export const traceAppends = (traces: Traces, log: EventLog): Pick<EventLog, 'append'> => ({
  append: (events) =>
    traces.run({ name: 'append', kind: 'producer', attributes: { 'postern.events': events.length } }, async (span) => {
      const { traceparent } = span
      const traced = traceparent === undefined ? events : events.map((event) => ({ ...event, traceparent }))
      // A batch has events of several calls, and deliveries begin with its commit.
      const accepted = await traces.outside(() => log.append(traced))
      if (accepted.length === 1) span.set({ 'postern.event_uuid': accepted[0]!.eventUuid })
      return accepted
    }),
})

const attributesOf = ({ eventUuid, eventType, webhookId }: Delivery, appId: string | undefined) => ({
  'postern.event_uuid': eventUuid,
  'postern.event_type': eventType,
  'postern.webhook_id': webhookId,
  'postern.app_id': appId,
})

const errorOf = ({ status }: Attempt) => (status === null ? 'no_answer' : String(status))

/**
 * Makes a span of each attempt, and of each delivery that ends: from the append of its event to the end of its last attempt. The attempts of
 * a delivery may be hours apart and of several processes, and all name its span. Events without a trace have none.
 */
export const traceAttempts =
  (traces: Traces, next: AttemptListener): AttemptListener =>
  (attempt, kind, isLast, about) => {
    next(attempt, kind, isLast, about)
    const { delivery, appId } = about
    const appended = delivery.traceparent === undefined ? undefined : readTraceparent(delivery.traceparent)
    if (!appended) return
    const { atMs, latencyMs, outcome, status, error } = attempt
    const endedMs = atMs + latencyMs
    const id = deliverySpanId(delivery.traceparent!, delivery.sequence, delivery.webhookId)
    const attributes = attributesOf(delivery, appId)
    const isSent = outcome !== 'not_sent'
    const failed = outcome === 'failed' ? error : undefined
    if (isSent)
      traces.add({
        name: 'POST',
        kind: 'client',
        // A replay is no part of the delivery, which has ended before.
        parent: kind === 'replay' ? appended : { ...appended, spanId: id },
        beganMs: atMs,
        endedMs,
        failed,
        attributes: {
          ...attributes,
          'http.request.method': 'POST',
          'http.response.status_code': status ?? undefined,
          'error.type': failed === undefined ? undefined : errorOf(attempt),
          'postern.kind': kind,
          'postern.attempt': delivery.attempts + 1,
        },
      })
    if (!isLast) return
    traces.add({
      name: 'deliver',
      kind: 'consumer',
      parent: appended,
      id,
      beganMs: Math.min(momentOf(delivery.sequence), atMs),
      endedMs,
      failed,
      attributes: {
        ...attributes,
        'postern.outcome': outcome === 'failed' ? 'given_up' : outcome,
        ...(!isSent && { 'postern.reason': error }),
      },
    })
  }
