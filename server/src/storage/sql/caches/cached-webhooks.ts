import { createCache } from '../../../lib/cache.ts'
import type { Changes } from '../../changes.ts'
import type { Webhook, WebhookStore } from '../../webhooks.ts'
import { wrapStore } from './wrap-store.ts'

const MAX_CACHED = 10_000

/**
 * Caches the list of each app's webhooks; `nextChallengeAtMs` and a passed `lastChallenge` may be outdated in it. Only for a database with a
 * single process, whose cache is invalidated before the change returns.
 */
export function cacheWebhooks(store: WebhookStore, changes: Changes): WebhookStore {
  const lists = createCache<Webhook[]>(MAX_CACHED, () => true)
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
    countAll: 'reads',
    register: 'writes',
    beginChallenge: 'writes',
    decide: 'writes',
    postpone: 'writes',
    remove: 'writes',
    claimDue: 'writes',
    moveIntoHour: 'writes',
    nextDueMs: 'reads',
  })
}
