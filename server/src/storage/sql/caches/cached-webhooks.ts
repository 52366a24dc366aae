import { createCache } from '../../../lib/cache.ts'
import type { Changes } from '../../changes.ts'
import type { Webhook, WebhookStore } from '../../webhooks.ts'
import { type Wrapping, wrapStore } from './wrap-store.ts'

/** The methods of webhooks that no wrapper implements. */
export const unwrappedWebhooks = {
  listAll: 'reads',
  byUrl: 'reads',
  count: 'reads',
  countAll: 'reads',
  register: 'writes',
  beginChallenge: 'writes',
  challenges: 'reads',
  decide: 'writes',
  postpone: 'writes',
  remove: 'writes',
  claimDue: 'writes',
  moveIntoHour: 'writes',
  nextDueMs: 'reads',
} as const satisfies Partial<Wrapping<WebhookStore>>

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
