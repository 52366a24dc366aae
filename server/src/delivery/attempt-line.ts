import type { Attempt, Delivery } from '../storage/event-log.ts'
import type { Destination, Nowhere } from './directory.ts'
import type { Kind } from './lanes.ts'

/** The members of the one wide log line of an attempt. Never a secret, a signature or a body. */
export const attemptLine = (
  delivery: Delivery,
  destination: Destination | Nowhere,
  attempt: Attempt,
  kind: Kind,
  nextAtMs: number | null,
) => ({
  event_uuid: delivery.eventUuid,
  event_type: delivery.eventType,
  webhook_id: delivery.webhookId,
  app_id: typeof destination === 'string' ? null : destination.appId,
  kind,
  attempt: delivery.attempts + 1,
  outcome: attempt.outcome,
  status: attempt.status,
  latency_ms: attempt.latencyMs,
  ...(attempt.error !== '' && { error: attempt.error }),
  next_try_at: nextAtMs === null ? null : new Date(nextAtMs).toISOString(),
})
