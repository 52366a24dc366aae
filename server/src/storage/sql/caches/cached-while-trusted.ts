import type { Clock } from '../../../lib/clock.ts'
import type { Changes } from '../../changes.ts'
import type { RefinableStores } from '../engine.ts'
import { cacheApps } from './cached-apps.ts'
import { cacheBearerTokens, cacheOAuth2Grants, cacheUserTokens } from './cached-tokens.ts'
import { cacheWebhooks } from './cached-webhooks.ts'

type Method = (...parameters: unknown[]) => unknown

/** Each method that `cached` implements itself is only used while its cache is trusted: otherwise no value is read from it or put into it. */
export const whileTrusted = <Store extends object>(store: Store, cached: Store, isTrusted: () => boolean): Store =>
  Object.fromEntries(
    Object.entries(store as Record<string, Method>).map(([name, read]) => {
      const readCached = cached[name as keyof Store] as Method
      return [name, readCached === read ? read : (...parameters: unknown[]) => (isTrusted() ? readCached : read)(...parameters)]
    }),
  ) as Store

/** Caches what access checks and cheap reads need. Only while the process has proof that it hears of every change in time. */
export const cacheWhileTrusted = (stores: RefinableStores, changes: Changes, clock: Clock, isTrusted: () => boolean): RefinableStores => ({
  ...stores,
  apps: whileTrusted(stores.apps, cacheApps(stores.apps, changes), isTrusted),
  bearerTokens: whileTrusted(stores.bearerTokens, cacheBearerTokens(stores.bearerTokens, changes, clock), isTrusted),
  userTokens: whileTrusted(stores.userTokens, cacheUserTokens(stores.userTokens, changes), isTrusted),
  oauth2Grants: whileTrusted(stores.oauth2Grants, cacheOAuth2Grants(stores.oauth2Grants, changes), isTrusted),
  webhooks: whileTrusted(stores.webhooks, cacheWebhooks(stores.webhooks, changes), isTrusted),
})
