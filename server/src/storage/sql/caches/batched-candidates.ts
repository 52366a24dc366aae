import type { Candidate, SubscriptionStore } from '../../subscriptions.ts'
import { createBatchLoader } from '../batch-loader.ts'
import { wrapStore } from './wrap-store.ts'

type Wanted = Parameters<SubscriptionStore['candidates']>[0]

/** Batches the queries of candidates. A result may contain candidates for the events of other requests. */
export function batchCandidates(store: SubscriptionStore): SubscriptionStore {
  const candidates = createBatchLoader<Wanted, Candidate[]>(async (asked) => {
    const found = await store.candidates(asked.flat())
    return asked.map(() => found)
  })
  return wrapStore(store, {
    list: 'reads',
    count: 'reads',
    byIds: 'reads',
    insert: 'writes',
    update: 'writes',
    remove: 'writes',
    candidates,
  })
}
