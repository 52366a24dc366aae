import { adsProblem } from '../../../../api/declare/problem.ts'
import { defaulting, optional } from '../../../../api/declare/words.ts'
import { adsEndpoint } from '../../../../api/records/ads-endpoint.ts'
import type { Ids } from '../../../../lib/ids.ts'
import type { ScheduledFeed } from '../../../../storage/scheduled-feeds.ts'
import { type CatalogServices, catalogId, catalogUser, ownCatalog } from '../own-catalog.ts'
import { assertFeed, type FeedServices, feedParams, feedSchema, presentFeed } from './feed-view.ts'
import { nextRunMs } from './schedule.ts'

export const createScheduledFeed = adsEndpoint({
  name: 'createScheduledFeed',
  route: 'POST /12/product_catalogs/:product_catalog_id/scheduled_feeds',
  section: '§4.5',
  summary: 'Create the scheduled feed of a catalog: a file with products that is fetched regularly. For apps with early access.',
  description:
    'Each row is put as a product, in requests of 25; products that are not in the file stay. The file has a header with the names of attributes ' +
    '(CSV, TSV), or elements with these names, with or without the prefix `g:`, in each `item` or `entry` (XML). It has at most 50 MB and 100,000 rows. ' +
    'A catalog can have one feed. The first run is at the next date of the schedule.',
  auth: catalogUser,
  rateLimit: 20,
  params: { ...catalogId, ...feedParams, repeat: optional(feedParams.repeat), time_zone: defaulting(feedParams.time_zone, 'UTC') },
  data: feedSchema,
  async handle({ params, caller }, services: CatalogServices & FeedServices & { ids: Ids }) {
    const { product_catalog_id: catalogKey, feed_url, feed_format, frequency, repeat = null, start_time, time_zone } = params
    await ownCatalog(services, caller, catalogKey)
    const { scheduledFeeds, ids, now } = services
    const nowMs = now()
    const feed: ScheduledFeed = {
      id: ids.next(),
      catalogId: catalogKey,
      feedUrl: feed_url,
      feedFormat: feed_format,
      frequency,
      repeat,
      startTime: start_time,
      timeZone: time_zone,
      createdAtMs: nowMs,
      updatedAtMs: nowMs,
    }
    assertFeed(feed, services)
    if (!(await scheduledFeeds.create(feed, nextRunMs(feed, nowMs))))
      throw adsProblem('INVALID', 'A product catalog can have only one scheduled feed: update it, or delete it first')
    return { data: presentFeed(feed) }
  },
})
