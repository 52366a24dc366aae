import { mapInSlices } from '../lib/slices.ts'
import type { Accepted, EventLog, NewEvent } from '../storage/event-log.ts'
import type { SubscriptionStore } from '../storage/subscriptions.ts'
import { contentOf, matchOf } from './envelope.ts'
import { type Matchable, matcherOf } from './matching.ts'

/** An event from a producer, with the canonical spelling of its type. */
export interface PublishedEvent extends Matchable {
  eventUuid?: string
  payload: unknown
  includes?: unknown
}

/** Reasons for keeping an event for replay without sending it. */
const WEBHOOK_INVALID = 'webhook invalid'
export const APP_SUSPENDED = 'app suspended'

/** Why an event is not sent to a webhook; undefined if it is sent. */
export function notSentReason({ valid, suspended }: { valid: boolean; suspended: boolean }): string | undefined {
  if (suspended) return APP_SUSPENDED
  return valid ? undefined : WEBHOOK_INVALID
}

export interface Publisher {
  /** Matches subscriptions and appends the events with their deliveries, all or none. They are durable once this resolves. */
  publish(events: readonly PublishedEvent[]): Promise<Accepted[]>
}

/** `respell` renames the members of payloads to the served dialect. `appending` is called before each append. */
export function createPublisher(
  subscriptions: SubscriptionStore,
  log: EventLog,
  respell: (value: unknown) => unknown,
  appending: () => void,
): Publisher {
  const publish = async (events: readonly PublishedEvent[]) => {
    const contents = await mapInSlices(
      events,
      ({ payload, includes }) => contentOf(respell(payload), respell(includes)),
      (content) => content.length,
    )
    const matchesOf = matcherOf(await subscriptions.candidates(events))
    const accepted = events.map((event, index): NewEvent => {
      const { eventUuid, eventType, userId } = event
      const targets = matchesOf(event).map(({ subscription, webhook, appSuspended }) => ({
        webhookId: webhook.id,
        match: matchOf(subscription),
        notSent: notSentReason({ valid: webhook.valid, suspended: appSuspended }),
      }))
      return { eventUuid, eventType, userId, content: contents[index]!, targets }
    })
    appending()
    return log.append(accepted)
  }
  return { publish }
}
