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

const directionOf = ({ eventType, direction }: Matchable): Direction | undefined => {
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

/** The only app that an event is for: that which the payload of an `oauth.revoke` names. Undefined if it is for every app. */
function addresseeOf({ eventType, payload }: Matched): string | undefined {
  if (eventType !== 'oauth.revoke') return undefined
  return String((payload as { app_id?: unknown } | undefined)?.app_id ?? '')
}

const keyOf = (eventType: string, userId: string) => `${eventType} ${userId}`

/**
 * Returns a function that finds the candidates that an event matches: for each webhook the oldest one. The candidates are grouped once, so
 * that the cost of a batch grows with its matches and not with events times candidates.
 */
export function matcherOf(candidates: readonly Candidate[]): (event: Matched) => Candidate[] {
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
    const found = new Map<string, Candidate>()
    for (const { candidate } of inOrder) {
      const { subscription, webhook } = candidate
      if (addressee !== undefined && subscription.appId !== addressee) continue
      if (!found.has(webhook.id) && matches(subscription.filter, prepared)) found.set(webhook.id, candidate)
    }
    return [...found.values()]
  }
}
