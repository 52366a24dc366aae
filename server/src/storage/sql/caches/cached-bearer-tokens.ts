import { createCache } from '../../../lib/cache.ts'
import type { App } from '../../apps.ts'
import type { BearerTokenStore } from '../../bearer-tokens.ts'
import type { Changes } from '../../changes.ts'

const MOST_KEPT = 10_000

/** Keeps in memory whose a token is. Only for the one process of a database: an invalidation holds from the next lookup on. */
export function cacheBearerTokens(store: BearerTokenStore, changes: Changes): BearerTokenStore {
  const apps = createCache<App | undefined>(MOST_KEPT, (app) => app !== undefined)
  changes.listen((change) => {
    if (change.kind === 'app' || change.kind === 'everything') apps.invalidateWhere()
  })

  return {
    ...store,
    invalidate: (appId, token) => store.invalidate(appId, token).finally(() => apps.invalidate(token)),
    appOf: async (token) => apps.get(token) ?? apps.load(token, () => store.appOf(token)),
  }
}
