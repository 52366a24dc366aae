import { momentOf } from '../../lib/ids.ts'
import type { Attempt, DeliveryState } from '../../storage/event-log.ts'
import type { Challenger } from '../challenge/challenger.ts'
import type { AttemptAbout, AttemptListener } from '../dispatcher.ts'
import type { PublishListener } from '../publish.ts'
import type { OperatorFeed } from './feed.ts'

/** Webhooks of one event that are named. */
const MOST_NAMED = 20

const iso = (ms: number) => new Date(ms).toISOString()

/** Tells the feed of each event that is new, and then whoever else listens. */
export const tellPublished =
  (feed: OperatorFeed, now: () => number, next: PublishListener | undefined): PublishListener =>
  (events, accepted) => {
    if (feed.isWatched())
      for (const [place, { eventType, userId, targets }] of events.entries()) {
        const { eventUuid, repeated } = accepted[place]!
        if (repeated) continue
        const named = targets.slice(0, MOST_NAMED)
        feed.tell(() => ({
          kind: 'event',
          at: iso(now()),
          event_uuid: eventUuid,
          event_type: eventType,
          user_id: userId,
          deliveries: targets.length,
          webhook_ids: named.map(({ webhookId }) => webhookId),
          kept_back: named.filter(({ notSent }) => notSent !== undefined).map(({ webhookId }) => webhookId),
        }))
      }
    next?.(events, accepted)
  }

const stateOf = ({ outcome }: Attempt, { nextAtMs }: AttemptAbout): DeliveryState => {
  if (outcome !== 'failed') return outcome
  return nextAtMs === null ? 'given_up' : 'retrying'
}

/** Tells the feed of each attempt, and then whoever else listens. */
export const tellAttempts =
  (feed: OperatorFeed, next: AttemptListener): AttemptListener =>
  (attempt, kind, isLast, about) => {
    if (feed.isWatched()) {
      const { delivery, nextAtMs } = about
      feed.tell(() => ({
        kind: 'attempt',
        at: iso(attempt.atMs),
        accepted_at: iso(momentOf(delivery.sequence)),
        event_uuid: delivery.eventUuid,
        event_type: delivery.eventType,
        webhook_id: delivery.webhookId,
        n: delivery.attempts + 1,
        outcome: attempt.outcome,
        status: attempt.status,
        latency_ms: Math.round(attempt.latencyMs),
        state: stateOf(attempt, about),
        next_try_at: nextAtMs === null ? null : iso(nextAtMs),
        is_replay: kind === 'replay',
      }))
    }
    next(attempt, kind, isLast, about)
  }

/** Tells the feed of each challenge that has ended. */
export const tellChallenges = (feed: OperatorFeed, now: () => number, { challenge }: Challenger): Challenger => ({
  async challenge(callback) {
    const result = await challenge(callback)
    feed.tell(() => ({
      kind: 'challenge',
      at: iso(now()),
      webhook_id: callback.webhookId ?? null,
      app_id: callback.appId ?? null,
      passed: result.passed,
    }))
    return result
  },
})
