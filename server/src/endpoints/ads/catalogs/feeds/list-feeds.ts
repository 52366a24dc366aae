import { listOf } from '../../../../api/declare/words.ts'
import { adsEndpoint } from '../../../../api/records/ads-endpoint.ts'
import { type CatalogServices, catalogId, catalogUser, ownCatalog } from '../own-catalog.ts'
import { type FeedServices, feedSchema, presentFeed } from './feed-view.ts'

export const listScheduledFeeds = adsEndpoint({
  name: 'listScheduledFeeds',
  route: 'GET /12/product_catalogs/:product_catalog_id/scheduled_feeds',
  section: '§4.5',
  summary: 'List the scheduled feeds of a catalog: one or none. For apps with early access.',
  auth: catalogUser,
  rateLimit: 1000,
  params: catalogId,
  data: listOf(feedSchema),
  isList: true,
  async handle({ params: { product_catalog_id: catalogKey }, caller }, services: CatalogServices & FeedServices) {
    await ownCatalog(services, caller, catalogKey)
    const feed = await services.scheduledFeeds.of(catalogKey)
    return { data: feed ? [presentFeed(feed)] : [], next_cursor: null }
  },
})
