import { createCatalogWork } from '../endpoints/ads/catalogs/catalog-work.ts'
import type { Base } from './parts.ts'
import { createTrackedSender } from './tracked-sender.ts'

/** Files are fetched rarely, and seldom twice from one host. */
const MAX_IDLE_CONNECTIONS = 16

/** The background work of catalogs, with a sender of its own: ending a fetch disturbs no delivery. */
export function assembleCatalogWork({ settings, storage, clock, ids, logger, activity, listening, development }: Base) {
  const { catalogs, scheduledFeeds, imageChecks, changes } = storage
  const sender = createTrackedSender(activity, {
    clock,
    allow: settings.callbackAllow,
    refuse: () => listening.listeners,
    ca: settings.callbackCa,
    resolver: settings.callbackResolvers,
    maxIdleConnections: MAX_IDLE_CONNECTIONS,
  })
  return createCatalogWork({
    ...{ catalogs, scheduledFeeds, imageChecks, changes, clock, ids, logger, activity, sender },
    ...{ hideRestricted: !development, loopbackHttp: development },
  })
}
