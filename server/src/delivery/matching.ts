import type { Candidate, Direction, SubscriptionFilter } from '../storage/subscriptions.ts'

/** What of an event the filters look at. */
export interface Matchable {
  eventType: string
  userId: string
  direction?: Direction
  text?: string
}

const directionOf = ({ eventType, direction }: Matchable): Direction | undefined => {
  if (direction) return direction
  if (eventType.endsWith('.sent')) return 'sent'
  return eventType.endsWith('.received') ? 'received' : undefined
}

/** Keywords match anywhere in the event's text, without regard to case. A filter without a direction means both (§6). */
export function matches(filter: SubscriptionFilter, event: Matchable): boolean {
  if (filter.userId !== undefined && filter.userId !== event.userId) return false
  if (filter.direction !== undefined && filter.direction !== directionOf(event)) return false
  return filter.keyword === undefined || (event.text ?? '').toLowerCase().includes(filter.keyword.toLowerCase())
}

const keyOf = (eventType: string, userId: string) => `${eventType} ${userId}`

/**
 * Finds, among the candidates of a batch, those that an event really matches: one for each webhook, the oldest. The candidates
 * are put in order once, so that a batch costs what its matches cost.
 */
export function matcherOf(candidates: readonly Candidate[]): (event: Matchable) => Candidate[] {
  const byKey = Map.groupBy(
    candidates.map((candidate, age) => ({ candidate, age })),
    ({ candidate: { subscription } }) => keyOf(subscription.eventType, subscription.filter.userId ?? ''),
  )
  return (event) => {
    const ofUser = byKey.get(keyOf(event.eventType, event.userId)) ?? []
    const ofAnyone = byKey.get(keyOf(event.eventType, '')) ?? []
    const inOrder = ofAnyone.length === 0 ? ofUser : [...ofUser, ...ofAnyone].sort((one, other) => one.age - other.age)
    const found = new Map<string, Candidate>()
    for (const { candidate } of inOrder)
      if (!found.has(candidate.webhook.id) && matches(candidate.subscription.filter, event)) found.set(candidate.webhook.id, candidate)
    return [...found.values()]
  }
}
