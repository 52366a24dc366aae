import { createCache } from '../../../lib/cache.ts'
import type { Changes } from '../../changes.ts'
import type { AccessTokenHolder, OAuth2Grants } from '../../oauth2-grants.ts'
import { wrapStore } from './wrap-store.ts'

const MAX_CACHED = 10_000

/** Caches access tokens with their apps and users. Only for a single process, or `whileTrusted`: a revocation applies from the next lookup on. */
export function cacheOAuth2Grants(store: OAuth2Grants, changes: Changes): OAuth2Grants {
  const holders = createCache<AccessTokenHolder | undefined>(MAX_CACHED, (holder) => holder !== undefined)
  changes.listen((change) => {
    if (change.kind === 'everything') holders.invalidateWhere()
    if (change.kind === 'app') holders.invalidateWhere((one) => one?.app.id === change.id)
    if (change.kind === 'user') holders.invalidateWhere((one) => one?.user.id === change.id)
    if (change.kind !== 'user-token') return
    holders.invalidateWhere((one) => one?.app.id === change.appId && one.user.id === change.userId)
  })

  return wrapStore(store, {
    insertCode: 'writes',
    exchangeCode: 'writes',
    refresh: 'writes',
    findAccess: async (token) => holders.get(token) ?? holders.load(token, () => store.findAccess(token)),
    granted: 'reads',
    revoke: 'writes',
  })
}
