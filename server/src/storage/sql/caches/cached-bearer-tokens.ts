import { createCache } from '../../../lib/cache.ts'
import type { Clock } from '../../../lib/clock.ts'
import { type App, previousSecretOf } from '../../apps.ts'
import type { BearerTokenStore } from '../../bearer-tokens.ts'
import type { Changes } from '../../changes.ts'
import { wrapStore } from './wrap-store.ts'

const MAX_CACHED = 10_000

/** The app of a token, and when the token expires with an overlap. */
interface Found {
  app: App
  untilMs: number
}

/** Caches the app of each bearer token. Only for a single process, or `whileTrusted`: an invalidation applies from the next lookup on. */
export function cacheBearerTokens(store: BearerTokenStore, changes: Changes, clock: Clock): BearerTokenStore {
  const apps = createCache<Found | undefined>(MAX_CACHED, (found) => found !== undefined)
  changes.listen((change) => {
    if (change.kind === 'app' || change.kind === 'everything') apps.invalidateWhere()
    if (change.kind === 'bearer-token') apps.invalidateWhere((found) => found?.app.id === change.appId)
  })

  const read = async (token: string): Promise<Found | undefined> => {
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
