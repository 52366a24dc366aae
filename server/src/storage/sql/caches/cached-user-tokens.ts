import { createCache } from '../../../lib/cache.ts'
import type { Changes } from '../../changes.ts'
import type { UserTokenStore } from '../../user-tokens.ts'

type Found = Awaited<ReturnType<UserTokenStore['find']>>

const MOST_KEPT = 10_000

/** Keeps in memory whose a token is. Only for the one process of a database: a revocation holds from the next lookup on. */
export function cacheUserTokens(store: UserTokenStore, changes: Changes): UserTokenStore {
  const found = createCache<Found>(MOST_KEPT, (one) => one !== undefined)
  changes.listen(({ kind }) => kind === 'everything' && found.invalidateWhere())

  return {
    ...store,
    revoke: (token) => store.revoke(token).finally(() => found.invalidate(token)),
    find: async (token) => found.get(token) ?? found.load(token, () => store.find(token)),
  }
}
