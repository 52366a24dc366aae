import { adsEndpoint } from '../../../../api/records/ads-endpoint.ts'
import { type CatalogServices, catalogId, catalogUser, ownCatalog } from '../own-catalog.ts'
import { type FeedServices, feedId, feedNotFound, feedSchema, mustGetFeed, presentFeed } from './feed-view.ts'

export const deleteScheduledFeed = adsEndpoint({
  name: 'deleteScheduledFeed',
  route: 'DELETE /12/product_catalogs/:product_catalog_id/scheduled_feeds/:scheduled_feed_id',
  section: '§4.5',
  summary: 'Delete a scheduled feed permanently, with its reports; the products stay. For apps with early access.',
  auth: catalogUser,
  rateLimit: 20,
  params: { ...catalogId, ...feedId },
  data: feedSchema,
  async handle(
    { params: { product_catalog_id: catalogKey, scheduled_feed_id: feedKey }, caller },
    services: CatalogServices & FeedServices,
  ) {
    await ownCatalog(services, caller, catalogKey)
    const feed = await mustGetFeed(services, catalogKey, feedKey)
    if (!(await services.scheduledFeeds.remove(feedKey))) throw feedNotFound(feedKey)
    return { data: presentFeed(feed) }
  },
})
