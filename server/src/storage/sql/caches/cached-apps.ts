import { createCache } from '../../../lib/cache.ts'
import type { App, AppStore } from '../../apps.ts'
import type { Changes } from '../../changes.ts'

const MOST_KEPT = 10_000

/** Keeps in memory which app has a consumer key. Only for the one process of a database. */
export function cacheApps(store: AppStore, changes: Changes): AppStore {
  const byKey = createCache<App | undefined>(MOST_KEPT, (app) => app !== undefined)
  changes.listen(({ kind }) => (kind === 'app' || kind === 'everything') && byKey.invalidateWhere())

  return { ...store, byConsumerKey: async (key) => byKey.get(key) ?? byKey.load(key, () => store.byConsumerKey(key)) }
}
