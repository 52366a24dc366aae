import { createKept } from '../../../lib/cache.ts'
import type { App, AppStore } from '../../apps.ts'
import type { Changes } from '../../changes.ts'

const MOST_KEPT = 10_000

/** Keeps in memory which app has a consumer key. Only for the one process of a database. */
export function cacheApps(store: AppStore, changes: Changes): AppStore {
  const byKey = createKept<App | undefined>(MOST_KEPT, (app) => app !== undefined)
  changes.listen(({ kind }) => (kind === 'app' || kind === 'everything') && byKey.forgetWhere())

  return { ...store, byConsumerKey: async (key) => byKey.known(key) ?? byKey.load(key, () => store.byConsumerKey(key)) }
}
