import type { AttemptListener } from '../../delivery/dispatcher.ts'
import type { Revalidate } from '../../delivery/revalidate.ts'
import type { Activity } from '../../lib/activity.ts'

/** What an attempt is called where it is told what happened. */
const KINDS = { live: 'delivery', retry: 'retry', replay: 'replay' } as const

const isoOrNull = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString())

/** Tells of each attempt, besides the listener. */
export const tellAttempt =
  ({ happened }: Activity) =>
  (listener: AttemptListener): AttemptListener =>
  (attempt, kind, isLast, about) => {
    listener(attempt, kind, isLast, about)
    const { delivery, nextAtMs } = about
    happened({
      kind: KINDS[kind],
      event_uuid: delivery.eventUuid,
      event_type: delivery.eventType,
      webhook_id: delivery.webhookId,
      ...(kind !== 'replay' && { attempt: delivery.attempts + 1, next_try_at: isoOrNull(nextAtMs) }),
      status: attempt.status,
      outcome: attempt.error === '' ? attempt.outcome : `${attempt.outcome}: ${attempt.error}`,
    })
  }

/** Tells of each challenge of a webhook that exists. */
export const tellChallenge =
  ({ happened }: Activity) =>
  (revalidate: Revalidate): Revalidate =>
  async (webhookId, ...how) => {
    const result = await revalidate(webhookId, ...how)
    const outcome = typeof result === 'string' ? result : result.passed ? 'passed' : `failed: ${result.details}`
    happened({ kind: 'challenge', webhook_id: webhookId, outcome })
    return result
  }
