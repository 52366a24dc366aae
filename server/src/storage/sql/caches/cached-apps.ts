import { createCache } from '../../../lib/cache.ts'
import type { App, AppStore } from '../../apps.ts'
import type { Changes } from '../../changes.ts'
import { wrapStore } from './wrap-store.ts'

const MOST_KEPT = 10_000

/** Caches apps by consumer key. Only for the one process of a database. */
export function cacheApps(store: AppStore, changes: Changes): AppStore {
  const byKey = createCache<App | undefined>(MOST_KEPT, (app) => app !== undefined)
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
