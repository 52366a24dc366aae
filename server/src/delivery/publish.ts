import { mapInSlices } from '../lib/slices.ts'
import type { Accepted, EventLog, NewEvent } from '../storage/event-log.ts'
import type { SubscriptionStore } from '../storage/subscriptions.ts'
import { contentOf, matchOf } from './envelope.ts'
import { type Matchable, matcherOf } from './matching.ts'

/** An event as a producer hands it over, in canonical spelling. */
export interface PublishedEvent extends Matchable {
  eventUuid?: string
  payload: unknown
  includes?: unknown
}

/** Why an event is kept for replay and not sent by itself. */
const WEBHOOK_INVALID = 'webhook invalid'
export const APP_SUSPENDED = 'app suspended'

/** Undefined when it is sent. */
export function keptBack({ valid, suspended }: { valid: boolean; suspended: boolean }): string | undefined {
  if (suspended) return APP_SUSPENDED
  return valid ? undefined : WEBHOOK_INVALID
}

/** Told how many events were accepted, and how many of their deliveries are kept back. */
export type AcceptListener = (events: number, keptBack: number) => void

export interface Publisher {
  /** Matches subscriptions and appends the events with their deliveries: all or none, durable once this resolves. */
  publish(events: readonly PublishedEvent[]): Promise<Accepted[]>
}

/** Events that were known already are not counted. */
function tell(accepted: AcceptListener, events: readonly NewEvent[], results: readonly Accepted[]) {
  let keptBack = 0
  let fresh = 0
  for (const [place, { targets }] of events.entries()) {
    if (results[place]!.repeated) continue
    fresh += 1
    for (const target of targets) if (target.notSent !== undefined) keptBack += 1
  }
  accepted(fresh, keptBack)
}

/**
 * `respell` writes the member names of payloads in the dialect that is served; `appending` is told before each append, `accepted` after
 * it.
 */
export function createPublisher(
  subscriptions: SubscriptionStore,
  log: EventLog,
  respell: (value: unknown) => unknown,
  appending: () => void,
  accepted: AcceptListener = () => {},
): Publisher {
  const publish = async (events: readonly PublishedEvent[]) => {
    const contents = await mapInSlices(
      events,
      ({ payload, includes }) => contentOf(respell(payload), respell(includes)),
      (content) => content.length,
    )
    const matchesOf = matcherOf(await subscriptions.candidates(events))
    const matched = events.map((event, index): NewEvent => {
      const { eventUuid, eventType, userId } = event
      const targets = matchesOf(event).map(({ subscription, webhook, appSuspended }) => ({
        webhookId: webhook.id,
        match: matchOf(subscription),
        notSent: keptBack({ valid: webhook.valid, suspended: appSuspended }),
      }))
      return { eventUuid, eventType, userId, content: contents[index]!, targets }
    })
    appending()
    const results = await log.append(matched)
    tell(accepted, matched, results)
    return results
  }
  return { publish }
}
