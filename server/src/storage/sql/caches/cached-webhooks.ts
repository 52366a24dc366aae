import { createCache } from '../../../lib/cache.ts'
import type { Changes } from '../../changes.ts'
import type { Webhook, WebhookStore } from '../../webhooks.ts'
import { unwrappedWebhooks } from './unwrapped-webhooks.ts'
import { wrapStore } from './wrap-store.ts'

const MAX_CACHED = 10_000

/**
 * Caches the list of each app's webhooks; `nextChallengeAtMs` and a passed `lastChallenge` may be outdated in it. Only for a single
 * process, whose cache is invalidated before the change returns, or `whileTrusted`.
 */
export function cacheWebhooks(store: WebhookStore, changes: Changes): WebhookStore {
  const lists = createCache<Webhook[]>(MAX_CACHED, () => true)
  changes.listen(({ kind }) => {
    if (kind === 'webhook' || kind === 'everything') lists.invalidateWhere()
  })

  return wrapStore(store, {
    ...unwrappedWebhooks,
    byId: 'reads',
    async list(appId) {
      return lists.get(appId) ?? (await lists.load(appId, () => store.list(appId)))
    },
  })
}
