import type { Candidate, SubscriptionStore } from '../subscriptions.ts'

type Find = SubscriptionStore['candidates']
type Wanted = Parameters<Find>[0][number]

/**
 * Asks one question at a time: those that come while one is under way are asked together, as the next. So many requests at once cost
 * few statements, and each still reads what was committed before it came. An answer may hold candidates for the events of others.
 */
export function gatherCandidates(store: SubscriptionStore): SubscriptionStore {
  let lane: Promise<unknown> = Promise.resolve()
  let next: { events: Wanted[]; found: Promise<Candidate[]> } | undefined

  const begin = () => {
    const events: Wanted[] = []
    const found = lane.then(() => {
      next = undefined
      return store.candidates(events)
    })
    lane = found.catch(() => {})
    return { events, found }
  }

  return {
    ...store,
    candidates(events) {
      next ??= begin()
      for (const event of events) next.events.push(event)
      return next.found
    },
  }
}
