import type { Candidate, Direction, SubscriptionFilter } from '../storage/subscriptions.ts'
import type { EventContent } from './envelope.ts'
import { keywordMatcherOf } from './keywords.ts'

/** The members of an event that filters compare. */
export interface Matchable {
  eventType: string
  userId: string
  direction?: Direction
  text?: string
}

/** An event, and what it says where that decides whom it is for. */
export type Matched = Matchable & Partial<EventContent>

/** Whether an event was sent by its user or received; undefined where its type knows no direction and it says none. */
export const directionOf = ({ eventType, direction }: Matchable): Direction | undefined => {
  if (direction) return direction
  if (eventType.endsWith('.sent')) return 'sent'
  return eventType.endsWith('.received') ? 'received' : undefined
}

/** An event with a function that says whether a keyword matches its text. */
type Prepared = Matchable & { hasKeyword: (keyword: string) => boolean }

/** A filter without a direction matches both (§6). */
function matches(filter: SubscriptionFilter, event: Prepared): boolean {
  if (filter.userId !== undefined && filter.userId !== event.userId) return false
  if (filter.direction !== undefined && filter.direction !== directionOf(event)) return false
  return filter.keyword === undefined || event.hasKeyword(filter.keyword)
}

/** What an event matches. */
export interface Matches {
  /** For each webhook the oldest subscription that matches. */
  webhooks: Candidate[]
  /** For each app with the event in its stream the oldest subscription that matches. */
  streams: Candidate[]
}

/** Whether the app gets the event in its stream because of this subscription: it has no webhook, or the app has used its stream since then. */
const isStreamed = ({ webhook, streamedAtMs }: Candidate, sinceMs: number) =>
  webhook === null || (streamedAtMs !== null && streamedAtMs > sinceMs)

/** For each app the oldest of the candidates that match, if one of them brings the event into its stream. */
function streamsOf(matching: readonly Candidate[], sinceMs: number): Candidate[] {
  const byApp = Map.groupBy(matching, ({ subscription: { appId } }) => appId)
  return [...byApp.values()].filter((ofApp) => ofApp.some((candidate) => isStreamed(candidate, sinceMs))).map(([oldest]) => oldest!)
}

/** The only app that an event is for: that which the payload of an `oauth.revoke` names. Undefined if it is for every app. */
function addresseeOf({ eventType, payload }: Matched): string | undefined {
  if (eventType !== 'oauth.revoke') return undefined
  const named = (payload as { app_id?: unknown } | undefined)?.app_id
  return ['string', 'number', 'bigint'].includes(typeof named) ? String(named) : ''
}

const keyOf = (eventType: string, userId: string) => `${eventType} ${userId}`

const NO_STREAMS: Candidate[] = []

/**
 * Returns a function that finds the candidates that an event matches. The candidates are grouped once, so that the cost of a batch grows
 * with its matches and not with events times candidates. `sinceMs`: apps that have used their streams since then get the events of their
 * webhooks there too.
 */
export function matcherOf(candidates: readonly Candidate[], sinceMs: number): (event: Matched) => Matches {
  const hasStreams = candidates.some((candidate) => isStreamed(candidate, sinceMs))
  const byKey = Map.groupBy(
    candidates.map((candidate, age) => ({ candidate, age })),
    ({ candidate: { subscription } }) => keyOf(subscription.eventType, subscription.filter.userId ?? ''),
  )
  return (event) => {
    const ofUser = byKey.get(keyOf(event.eventType, event.userId)) ?? []
    const ofAnyone = byKey.get(keyOf(event.eventType, '')) ?? []
    const inOrder = ofAnyone.length === 0 ? ofUser : [...ofUser, ...ofAnyone].sort((one, other) => one.age - other.age)
    const prepared = { ...event, hasKeyword: keywordMatcherOf(event.text ?? '') }
    const addressee = addresseeOf(event)
    const webhooks = new Map<string, Candidate>()
    const matching: Candidate[] = []
    for (const { candidate } of inOrder) {
      const { webhook, subscription } = candidate
      if (addressee !== undefined && subscription.appId !== addressee) continue
      if (!hasStreams && webhooks.has(webhook!.id)) continue
      if (!matches(subscription.filter, prepared)) continue
      if (hasStreams) matching.push(candidate)
      if (webhook !== null && !webhooks.has(webhook.id)) webhooks.set(webhook.id, candidate)
    }
    return { webhooks: [...webhooks.values()], streams: hasStreams ? streamsOf(matching, sinceMs) : NO_STREAMS }
  }
}
