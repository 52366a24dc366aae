import { createCache } from '../../../lib/cache.ts'
import type { App } from '../../apps.ts'
import type { BearerTokenStore } from '../../bearer-tokens.ts'
import type { Changes } from '../../changes.ts'
import { wrapStore } from './wrap-store.ts'

const MAX_CACHED = 10_000

/** Caches the app of each bearer token. Only for a database with a single process: an invalidation applies from the next lookup on. */
export function cacheBearerTokens(store: BearerTokenStore, changes: Changes): BearerTokenStore {
  const apps = createCache<App | undefined>(MAX_CACHED, (app) => app !== undefined)
  changes.listen((change) => {
    if (change.kind === 'app' || change.kind === 'everything') apps.invalidateWhere()
    if (change.kind === 'bearer-token') apps.invalidateWhere((app) => app?.id === change.appId)
  })

  return wrapStore(store, {
    obtain: 'writes',
    appOf: async (token) => apps.get(token) ?? apps.load(token, () => store.appOf(token)),
    invalidate: 'writes',
  })
}
