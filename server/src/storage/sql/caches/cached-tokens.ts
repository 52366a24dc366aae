import { createCache } from '../../../lib/cache.ts'
import type { Clock } from '../../../lib/clock.ts'
import { type App, previousSecretOf } from '../../apps.ts'
import type { BearerTokenStore } from '../../bearer-tokens.ts'
import type { Changes } from '../../changes.ts'
import type { AccessTokenHolder, OAuth2Grants } from '../../oauth2-grants.ts'
import type { UserTokenStore } from '../../user-tokens.ts'
import { wrapStore } from './wrap-store.ts'

const MAX_CACHED = 10_000

/** The app of a token, and when the token expires with an overlap. */
interface FoundApp {
  app: App
  untilMs: number
}

/** Caches the app of each bearer token. Only for a single process, or `whileTrusted`: an invalidation applies from the next lookup on. */
export function cacheBearerTokens(store: BearerTokenStore, changes: Changes, clock: Clock): BearerTokenStore {
  const apps = createCache<FoundApp | undefined>(MAX_CACHED, (found) => found !== undefined)
  changes.listen((change) => {
    if (change.kind === 'app' || change.kind === 'everything') apps.invalidateWhere()
    if (change.kind === 'bearer-token') apps.invalidateWhere((found) => found?.app.id === change.appId)
  })

  const read = async (token: string): Promise<FoundApp | undefined> => {
    const app = await store.appOf(token)
    const isOverlap = app && previousSecretOf(app, clock.now()) !== null
    return app && { app, untilMs: isOverlap ? app.previousSecretUntilMs! : Number.POSITIVE_INFINITY }
  }

  return wrapStore(store, {
    obtain: 'writes',
    async appOf(token) {
      const known = apps.get(token)
      const found = known && known.untilMs > clock.now() ? known : await apps.load(token, () => read(token))
      return found?.app
    },
    invalidate: 'writes',
  })
}

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

type FoundToken = Awaited<ReturnType<UserTokenStore['find']>>

/** Caches user tokens with their users. Only for a single process, or `whileTrusted`: a revocation applies from the next lookup on. */
export function cacheUserTokens(store: UserTokenStore, changes: Changes): UserTokenStore {
  const found = createCache<FoundToken>(MAX_CACHED, (one) => one !== undefined)
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
