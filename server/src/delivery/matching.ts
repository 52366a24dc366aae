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

/** A filter without a direction matches both (§6). */
function matches(filter: SubscriptionFilter, event: Matchable, hasKeyword: (keyword: string) => boolean): boolean {
  if (filter.userId !== undefined && filter.userId !== event.userId) return false
  if (filter.direction !== undefined && filter.direction !== directionOf(event)) return false
  return filter.keyword === undefined || hasKeyword(filter.keyword)
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

const NO_STREAMS: Candidate[] = []
const NO_CANDIDATES: { candidate: Candidate; age: number }[] = []
const ANYONE = ''

/**
 * Returns a function that finds the candidates that an event matches. The candidates are grouped once, so that the cost of a batch grows
 * with its matches and not with events times candidates. `sinceMs`: apps that have used their streams since then get the events of their
 * webhooks there too.
 */
export function matcherOf(candidates: readonly Candidate[], sinceMs: number): (event: Matched) => Matches {
  const hasStreams = candidates.some((candidate) => isStreamed(candidate, sinceMs))
  const byAge = candidates.map((candidate, age) => ({ candidate, age }))
  const byType = new Map(
    [...Map.groupBy(byAge, ({ candidate: { subscription } }) => subscription.eventType)].map(([eventType, ofType]) => [
      eventType,
      Map.groupBy(ofType, ({ candidate: { subscription } }) => subscription.filter.userId ?? ANYONE),
    ]),
  )
  return (event) => {
    const ofType = byType.get(event.eventType)
    const ofUser = ofType?.get(event.userId) ?? NO_CANDIDATES
    const ofAnyone = ofType?.get(ANYONE) ?? NO_CANDIDATES
    const inOrder = ofAnyone.length === 0 ? ofUser : [...ofUser, ...ofAnyone].sort((one, other) => one.age - other.age)
    const hasKeyword = keywordMatcherOf(event.text ?? '')
    const addressee = addresseeOf(event)
    const webhooks: Candidate[] = []
    const known = inOrder.length > 1 ? new Set<string>() : undefined
    const matching: Candidate[] = []
    for (const { candidate } of inOrder) {
      const { webhook, subscription } = candidate
      if (addressee !== undefined && subscription.appId !== addressee) continue
      if (!hasStreams && known?.has(webhook!.id)) continue
      if (!matches(subscription.filter, event, hasKeyword)) continue
      if (hasStreams) matching.push(candidate)
      if (webhook === null || known?.has(webhook.id)) continue
      known?.add(webhook.id)
      webhooks.push(candidate)
    }
    return { webhooks, streams: hasStreams ? streamsOf(matching, sinceMs) : NO_STREAMS }
  }
}
