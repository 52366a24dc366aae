import { optionals } from '../../../../api/declare/words.ts'
import { adsEndpoint } from '../../../../api/records/ads-endpoint.ts'
import type { ScheduledFeed } from '../../../../storage/scheduled-feeds.ts'
import { type CatalogServices, catalogId, catalogUser, ownCatalog } from '../own-catalog.ts'
import { assertFeed, type FeedServices, feedId, feedNotFound, feedParams, feedSchema, mustGetFeed, presentFeed } from './feed-view.ts'
import { nextRunMs } from './schedule.ts'

export const updateScheduledFeed = adsEndpoint({
  name: 'updateScheduledFeed',
  route: 'PUT /12/product_catalogs/:product_catalog_id/scheduled_feeds/:scheduled_feed_id',
  section: '§4.5',
  summary: 'Update a scheduled feed. Omitted parameters keep their values; an empty `repeat` clears it. For apps with early access.',
  description: 'The next run is at the next date of the new schedule. A run that is going on may be ended.',
  auth: catalogUser,
  rateLimit: 20,
  params: { ...catalogId, ...feedId, ...optionals(feedParams) },
  data: feedSchema,
  async handle({ params, caller }, services: CatalogServices & FeedServices) {
    const {
      product_catalog_id: catalogKey,
      scheduled_feed_id: feedKey,
      feed_url,
      feed_format,
      frequency,
      repeat,
      start_time,
      time_zone,
    } = params
    await ownCatalog(services, caller, catalogKey)
    const { scheduledFeeds, now } = services
    await mustGetFeed(services, catalogKey, feedKey)
    const feed = await scheduledFeeds.update(feedKey, (existing) => {
      const changed: ScheduledFeed = {
        ...existing,
        feedUrl: feed_url ?? existing.feedUrl,
        feedFormat: feed_format ?? existing.feedFormat,
        frequency: frequency ?? existing.frequency,
        repeat: repeat === undefined ? existing.repeat : repeat,
        startTime: start_time ?? existing.startTime,
        timeZone: time_zone ?? existing.timeZone,
        updatedAtMs: now(),
      }
      assertFeed(changed, services)
      return { feed: changed, dueAtMs: nextRunMs(changed, now()) }
    })
    if (!feed) throw feedNotFound(feedKey)
    return { data: presentFeed(feed) }
  },
})
