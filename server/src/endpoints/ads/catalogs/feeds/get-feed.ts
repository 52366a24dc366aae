import { adsEndpoint } from '../../../../api/records/ads-endpoint.ts'
import { type CatalogServices, catalogId, catalogUser, ownCatalog } from '../own-catalog.ts'
import { type FeedServices, feedId, feedSchema, mustGetFeed, presentFeed } from './feed-view.ts'

export const getScheduledFeed = adsEndpoint({
  name: 'getScheduledFeed',
  route: 'GET /12/product_catalogs/:product_catalog_id/scheduled_feeds/:scheduled_feed_id',
  section: '§4.5',
  summary: 'Get a scheduled feed. For apps with early access.',
  auth: catalogUser,
  rateLimit: 1000,
  params: { ...catalogId, ...feedId },
  data: feedSchema,
  async handle(
    { params: { product_catalog_id: catalogKey, scheduled_feed_id: feedKey }, caller },
    services: CatalogServices & FeedServices,
  ) {
    await ownCatalog(services, caller, catalogKey)
    return { data: presentFeed(await mustGetFeed(services, catalogKey, feedKey)) }
  },
})
