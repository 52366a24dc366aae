import { createCache } from '../../../lib/cache.ts'
import type { Changes } from '../../changes.ts'
import type { UserTokenStore } from '../../user-tokens.ts'
import { wrapStore } from './wrap-store.ts'

type Found = Awaited<ReturnType<UserTokenStore['find']>>

const MAX_CACHED = 10_000

/** Caches user tokens with their users. Only for a single process, or `whileTrusted`: a revocation applies from the next lookup on. */
export function cacheUserTokens(store: UserTokenStore, changes: Changes): UserTokenStore {
  const found = createCache<Found>(MAX_CACHED, (one) => one !== undefined)
  changes.listen((change) => {
    if (change.kind === 'everything') found.invalidateWhere()
    if (change.kind === 'app') found.invalidateWhere((one) => one?.token.appId === change.id)
    if (change.kind === 'user') found.invalidateWhere((one) => one?.token.userId === change.id)
    if (change.kind !== 'user-token') return
    found.invalidateWhere((one) => one?.token.appId === change.appId && one.token.userId === change.userId)
  })

  return wrapStore(store, {
    insert: 'writes',
    find: async (token) => found.get(token) ?? found.load(token, () => store.find(token)),
    granted: 'reads',
    revoke: 'writes',
  })
}
