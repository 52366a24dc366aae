import { createCache } from '../../../lib/cache.ts'
import type { Changes } from '../../changes.ts'
import type { Consents, UserConsent } from '../../consents.ts'
import { wrapStore } from './wrap-store.ts'

const MAX_CACHED = 10_000

interface Found {
  appId: string
  userId: string
  consent: UserConsent
}

const keyOf = (appId: string, userId: string) => `${appId} ${userId}`

/**
 * Caches the consent of single users, which every delivery of a private event asks for. Only for a database with a single process, whose
 * cache is invalidated before a revocation returns.
 */
export function cacheConsents(store: Consents, changes: Changes): Consents {
  const cache = createCache<Found>(MAX_CACHED, () => true)
  changes.listen((change) => {
    if (change.kind === 'user-token') cache.invalidate(keyOf(change.appId, change.userId))
    if (change.kind === 'user') cache.invalidateWhere(({ userId }) => userId === change.id)
    if (change.kind === 'app') cache.invalidateWhere(({ appId }) => appId === change.id)
    if (change.kind === 'everything') cache.invalidateWhere()
  })

  const read = async (appId: string, userId: string): Promise<Found> => ({ appId, userId, consent: (await store.of(appId, [userId]))[0]! })

  return wrapStore(store, {
    async of(appId, userIds) {
      if (userIds.length !== 1) return store.of(appId, userIds)
      const [userId] = userIds as [string]
      const key = keyOf(appId, userId)
      const { consent } = cache.get(key) ?? (await cache.load(key, () => read(appId, userId)))
      return [consent]
    },
  })
}
