import type { Changes } from '../../changes.ts'
import type { Candidate, SubscriptionStore } from '../../subscriptions.ts'
import { wrapStore } from './wrap-store.ts'

type Wanted = Parameters<SubscriptionStore['candidates']>[0][number]

/** Maximum of cached pairs of event type and user, including pairs without subscriptions. */
const MAX_CACHED = 100_000

const keyOf = (eventType: string, userId: string) => `${eventType} ${userId}`
const keyOfCandidate = ({ subscription: { eventType, filter } }: Candidate) => keyOf(eventType, filter.userId ?? '')

const byAge = ({ subscription: one }: Candidate, { subscription: other }: Candidate) =>
  one.createdAtMs - other.createdAtMs || (one.id < other.id ? -1 : 1)

/** The pairs of subscriptions to this event: with its user, and without a user. */
const keysOf = ({ eventType, userId }: Wanted) => [keyOf(eventType, userId), keyOf(eventType, '')]

/**
 * Caches the subscriptions of each pair of event type and user, with the consent of the user. Only for a database with a single process,
 * whose cache is invalidated before the change returns. With several processes the notification would arrive a moment too late.
 */
export function cacheCandidates(store: SubscriptionStore, changes: Changes): SubscriptionStore {
  const cached = new Map<string, Candidate[]>()
  /** The cached pairs of a webhook. */
  const keysOfWebhook = new Map<string, Set<string>>()
  /** The event types of the cached pairs. */
  const types = new Set<string>()
  /** Incremented with every change, so that an older read is not cached after it. */
  let changed = 0

  const invalidateAll = () => {
    changed += 1
    cached.clear()
    keysOfWebhook.clear()
  }

  const invalidateWebhook = (id: string) => {
    changed += 1
    for (const key of keysOfWebhook.get(id) ?? []) cached.delete(key)
    keysOfWebhook.delete(id)
  }

  const invalidateUser = (userId: string) => {
    changed += 1
    for (const type of types) cached.delete(keyOf(type, userId))
  }

  changes.listen((change) => {
    if (change.kind === 'webhook') invalidateWebhook(change.id)
    if (change.kind === 'user-token') invalidateUser(change.userId)
    if (['subscriptions', 'streams', 'app', 'user', 'everything'].includes(change.kind)) invalidateAll()
  })

  const cache = (key: string, candidates: Candidate[]) => {
    cached.set(key, candidates)
    for (const { webhook } of candidates) {
      if (webhook === null) continue
      const keys = keysOfWebhook.get(webhook.id) ?? new Set()
      keysOfWebhook.set(webhook.id, keys.add(key))
    }
  }

  /** Caches the result, unless something changed meanwhile. */
  const read = async (events: readonly Wanted[]): Promise<Map<string, Candidate[]>> => {
    const before = changed
    const found = Map.groupBy(await store.candidates(events), keyOfCandidate)
    if (before !== changed) return found
    if (cached.size >= MAX_CACHED) invalidateAll()
    for (const { eventType } of events) types.add(eventType)
    for (const key of new Set(events.flatMap(keysOf))) if (!cached.has(key)) cache(key, found.get(key) ?? [])
    return found
  }

  return wrapStore(store, {
    list: 'reads',
    count: 'reads',
    byIds: 'reads',
    insert: 'writes',
    update: 'writes',
    remove: 'writes',
    async candidates(events) {
      const known = new Map<string, Candidate[]>()
      const isKnown = (key: string) => {
        const candidates = known.get(key) ?? cached.get(key)
        if (candidates) known.set(key, candidates)
        return candidates !== undefined
      }
      const unknown = events.filter(({ eventType, userId }) => {
        const isOfUserKnown = isKnown(keyOf(eventType, userId))
        return !isKnown(keyOf(eventType, '')) || !isOfUserKnown
      })
      const all = [...known.values()].flat()
      if (unknown.length > 0) for (const [key, candidates] of await read(unknown)) if (!known.has(key)) all.push(...candidates)
      return all.length > 1 ? all.sort(byAge) : all
    },
  })
}
