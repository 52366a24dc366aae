import { createCache } from '../../../lib/cache.ts'
import type { App, AppStore } from '../../apps.ts'
import type { Changes } from '../../changes.ts'
import { wrapStore } from './wrap-store.ts'

const MAX_CACHED = 10_000

/** No app has a longer consumer key. */
const MAX_KEY_LENGTH = 400

/**
 * Caches apps by consumer key. Only for a single process, or `whileTrusted`. It caches too that no app has a key, apart, so that strangers
 * evict no apps: who asks for a key again and again cannot tell by the time whether an app has it.
 */
export function cacheApps(store: AppStore, changes: Changes): AppStore {
  const byKey = createCache<App | undefined>(MAX_CACHED, (app) => app !== undefined)
  const unknownKeys = createCache<App | null>(MAX_CACHED, (app) => app === null)
  changes.listen(({ kind }) => {
    if (kind !== 'app' && kind !== 'everything') return
    byKey.invalidateWhere()
    unknownKeys.invalidateWhere()
  })

  const load = (key: string) => byKey.load(key, () => store.byConsumerKey(key))
  const loadOrNull = async (key: string) => (await load(key)) ?? null

  return wrapStore(store, {
    byId: 'reads',
    async byConsumerKey(key) {
      const app = byKey.get(key)
      if (app || unknownKeys.get(key) === null) return app
      return key.length > MAX_KEY_LENGTH ? load(key) : ((await unknownKeys.load(key, () => loadOrNull(key))) ?? undefined)
    },
    byOAuth2ClientId: 'reads',
    list: 'reads',
    insert: 'writes',
    update: 'writes',
    remove: 'writes',
  })
}
