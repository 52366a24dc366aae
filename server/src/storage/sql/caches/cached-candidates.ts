import type { Changes } from '../../changes.ts'
import type { Candidate, SubscriptionStore } from '../../subscriptions.ts'

type Wanted = Parameters<SubscriptionStore['candidates']>[0][number]

/** Pairs of event type and user that are kept, also those that nobody subscribes to. */
const MOST_KEPT = 100_000

const keyOf = (eventType: string, userId: string) => `${eventType} ${userId}`
const keyOfCandidate = ({ subscription: { eventType, filter } }: Candidate) => keyOf(eventType, filter.userId ?? '')

const byAge = ({ subscription: one }: Candidate, { subscription: other }: Candidate) =>
  one.createdAtMs - other.createdAtMs || (one.id < other.id ? -1 : 1)

/** The pairs that a subscription to this event may have: that of its user, and that of any user. */
const keysOf = ({ eventType, userId }: Wanted) => [keyOf(eventType, userId), keyOf(eventType, '')]

/**
 * Keeps in memory which subscriptions there are for a pair of event type and user. Only for the one process of a database, which
 * hears of a change before anybody can act on it; one of several processes would hear of it a moment too late.
 */
export function cacheCandidates(store: SubscriptionStore, changes: Changes): SubscriptionStore {
  const kept = new Map<string, Candidate[]>()
  /** Where a webhook is among those that are kept. */
  const keysOfWebhook = new Map<string, Set<string>>()
  /** Grows with every change, so that what was read before one is not kept after it. */
  let changed = 0

  const forgetAll = () => {
    changed += 1
    kept.clear()
    keysOfWebhook.clear()
  }

  const forgetWebhook = (id: string) => {
    changed += 1
    for (const key of keysOfWebhook.get(id) ?? []) kept.delete(key)
    keysOfWebhook.delete(id)
  }

  changes.listen((change) => {
    if (change.kind === 'webhook') forgetWebhook(change.id)
    else if (change.kind !== 'replay') forgetAll()
  })

  const keep = (key: string, candidates: Candidate[]) => {
    kept.set(key, candidates)
    for (const { webhook } of candidates) {
      const keys = keysOfWebhook.get(webhook.id) ?? new Set()
      keysOfWebhook.set(webhook.id, keys.add(key))
    }
  }

  /** Keeps what it finds, unless something changed meanwhile. */
  const read = async (events: readonly Wanted[]): Promise<Map<string, Candidate[]>> => {
    const before = changed
    const found = Map.groupBy(await store.candidates(events), keyOfCandidate)
    if (before !== changed) return found
    if (kept.size >= MOST_KEPT) forgetAll()
    for (const key of new Set(events.flatMap(keysOf))) if (!kept.has(key)) keep(key, found.get(key) ?? [])
    return found
  }

  return {
    ...store,
    insert: (...subscription) => store.insert(...subscription).finally(forgetAll),
    update: (...change) => store.update(...change).finally(forgetAll),
    remove: (...ids) => store.remove(...ids).finally(forgetAll),
    async candidates(events) {
      const known = new Map(events.flatMap(keysOf).map((key) => [key, kept.get(key)]))
      const unknown = events.filter((event) => keysOf(event).some((key) => known.get(key) === undefined))
      const found = unknown.length === 0 ? undefined : await read(unknown)
      return [...known].flatMap(([key, candidates]) => candidates ?? found?.get(key) ?? []).sort(byAge)
    },
  }
}
