import { createCache } from '../../../lib/cache.ts'
import type { App, AppStore } from '../../apps.ts'
import type { Changes } from '../../changes.ts'
import { wrapStore } from './wrap-store.ts'

const MAX_CACHED = 10_000

/** Caches apps by consumer key. Only for a database with a single process. */
export function cacheApps(store: AppStore, changes: Changes): AppStore {
  const byKey = createCache<App | undefined>(MAX_CACHED, (app) => app !== undefined)
  changes.listen(({ kind }) => (kind === 'app' || kind === 'everything') && byKey.invalidateWhere())

  return wrapStore(store, {
    byId: 'reads',
    byConsumerKey: async (key) => byKey.get(key) ?? byKey.load(key, () => store.byConsumerKey(key)),
    list: 'reads',
    insert: 'writes',
    update: 'writes',
    remove: 'writes',
  })
}
