import { createCache } from '../../../lib/cache.ts'
import type { Changes } from '../../changes.ts'
import type { Webhook, WebhookStore } from '../../webhooks.ts'

const MOST_KEPT = 10_000

/** Keeps in memory which webhooks an app has. Only for the one process of a database, which hears of a change before anybody can act on it. */
export function cacheWebhooks(store: WebhookStore, changes: Changes): WebhookStore {
  const lists = createCache<Webhook[]>(MOST_KEPT, () => true)
  changes.listen(({ kind }) => {
    if (kind === 'webhook' || kind === 'everything') lists.invalidateWhere()
  })

  return {
    ...store,
    async list(appId) {
      return lists.get(appId) ?? (await lists.load(appId, () => store.list(appId)))
    },
  }
}
