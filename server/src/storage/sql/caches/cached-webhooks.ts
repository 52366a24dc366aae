import { createCache } from '../../../lib/cache.ts'
import type { Changes } from '../../changes.ts'
import type { Webhook, WebhookStore } from '../../webhooks.ts'
import { wrapStore } from './wrap-store.ts'

const MOST_KEPT = 10_000

/**
 * Caches the list of each app's webhooks. When their challenges are due, and when the last one passed, may be out of date in it. Only for the one process of a database,
 * which hears of a change before anybody can act on it.
 */
export function cacheWebhooks(store: WebhookStore, changes: Changes): WebhookStore {
  const lists = createCache<Webhook[]>(MOST_KEPT, () => true)
  changes.listen(({ kind }) => {
    if (kind === 'webhook' || kind === 'everything') lists.invalidateWhere()
  })

  return wrapStore(store, {
    byId: 'reads',
    async list(appId) {
      return lists.get(appId) ?? (await lists.load(appId, () => store.list(appId)))
    },
    listAll: 'reads',
    hasUrl: 'reads',
    count: 'reads',
    register: 'writes',
    beginChallenge: 'writes',
    decide: 'writes',
    putOff: 'writes',
    remove: 'writes',
    claimDue: 'writes',
    bringIntoHour: 'writes',
    nextDueMs: 'reads',
  })
}
