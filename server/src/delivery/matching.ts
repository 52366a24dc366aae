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

/** The candidates an event really matches: one for each webhook, the oldest. */
export function matchesByWebhook(candidates: readonly Candidate[], event: Matchable): Candidate[] {
  const found = new Map<string, Candidate>()
  for (const candidate of candidates) {
    const { subscription, webhook, appSuspended } = candidate
    if (appSuspended || found.has(webhook.id) || subscription.eventType !== event.eventType) continue
    if (matches(subscription.filter, event)) found.set(webhook.id, candidate)
  }
  return [...found.values()]
}
