import { createCatalogWork } from '../endpoints/ads/catalogs/catalog-work.ts'
import { configuredSender } from './configured-sender.ts'
import type { Base } from './parts.ts'

/** Files are fetched rarely, and seldom twice from one host. */
const MAX_IDLE_CONNECTIONS = 16

/** The background work of catalogs, with a sender of its own: ending a fetch disturbs no delivery. In a copy that is held it has to wait. */
export function assembleCatalogWork(base: Base) {
  const { storage, clock, ids, logger, activity, development, hold } = base
  const { catalogs, scheduledFeeds, imageChecks, changes } = storage
  const sender = configuredSender(base, MAX_IDLE_CONNECTIONS)
  const work = createCatalogWork({
    catalogs,
    scheduledFeeds,
    imageChecks,
    changes,
    clock,
    ids,
    logger,
    activity,
    sender,
    hideRestricted: !development,
    loopbackHttp: development,
  })
  const start = () => (hold.since() === undefined ? work.start() : hold.onRelease(work.start))
  return {
    ...work,
    start,
    /** A release begins it no more. */
    async stop() {
      hold.stop()
      await work.stop()
    },
  }
}
