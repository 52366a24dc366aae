import { adsProblem } from '../../../../api/declare/problem.ts'
import {
  defaulting,
  id,
  iso,
  listOf,
  matching,
  nullable,
  object,
  oneOf,
  optional,
  optionals,
  text,
  timestamp,
} from '../../../../api/declare/words.ts'
import { adsEndpoint } from '../../../../api/records/ads-endpoint.ts'
import type { Ids } from '../../../../lib/ids.ts'
import { isTimezone } from '../../../../lib/time.ts'
import type { ScheduledFeed, ScheduledFeeds } from '../../../../storage/scheduled-feeds.ts'
import { type CatalogServices, catalogId, catalogUser, ownCatalog } from '../own-catalog.ts'
import { isHttpsUrl, MAX_URL } from '../rules/web-links.ts'
import { days, hours, nextRunMs, repeatMistake } from './schedule.ts'

export interface FeedServices {
  scheduledFeeds: ScheduledFeeds
  now: () => number
  loopbackHttp: boolean
}

/** The parameters of a feed. */
const feedParams = {
  feed_url: text({ max: MAX_URL, description: 'An https URL of the file.', example: 'https://shop.example/products.csv' }),
  feed_format: oneOf(['CSV', 'TSV', 'XML'], { description: 'XML is RSS 2.0 or Atom.' }),
  frequency: oneOf(['HOURLY', 'DAILY', 'WEEKLY'], { example: 'DAILY' }),
  repeat: nullable(
    oneOf([...hours, ...days], { description: 'HOURLY: every so many hours. WEEKLY: the day. It must be left out of a DAILY feed.' }),
  ),
  start_time: matching('^([01][0-9]|2[0-3]):[0-5][0-9]$', { description: 'In `time_zone`.', example: '06:30' }),
  time_zone: text({ max: 100, description: 'IANA, such as Europe/Berlin.', example: 'UTC' }),
}

export const feedId = { scheduled_feed_id: id() }

const feedSchema = object({
  id: id(),
  product_catalog_id: id(),
  ...feedParams,
  created_at: timestamp(),
  updated_at: timestamp(),
})

const presentFeed = (feed: ScheduledFeed) => ({
  id: feed.id,
  product_catalog_id: feed.catalogId,
  feed_url: feed.feedUrl,
  feed_format: feed.feedFormat,
  frequency: feed.frequency,
  repeat: feed.repeat as (typeof hours)[number] | null,
  start_time: feed.startTime,
  time_zone: feed.timeZone,
  created_at: iso(feed.createdAtMs),
  updated_at: iso(feed.updatedAtMs),
})

/** Throws 400 for a feed that cannot be fetched, or has no date. */
function assertFeed(feed: ScheduledFeed, { loopbackHttp }: FeedServices) {
  const { feedUrl, timeZone } = feed
  const refuse = (parameter: string, message: string) => adsProblem('INVALID_PARAMETER', message, parameter)
  if (!isHttpsUrl(feedUrl, loopbackHttp)) throw refuse('feed_url', 'feed_url must be an absolute https URL')
  if (!isTimezone(timeZone)) throw refuse('time_zone', 'time_zone must be an IANA time zone, such as Europe/Berlin')
  const mistake = repeatMistake(feed)
  if (mistake !== undefined) throw refuse('repeat', mistake)
}

const feedNotFound = (feedKey: string) => adsProblem('NOT_FOUND', `Scheduled feed ${feedKey} was not found`)

/** A feed of a catalog. Throws 404. */
export async function mustGetFeed({ scheduledFeeds }: Pick<FeedServices, 'scheduledFeeds'>, catalogId: string, feedKey: string) {
  const feed = await scheduledFeeds.of(catalogId)
  if (feed?.id !== feedKey) throw feedNotFound(feedKey)
  return feed
}

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
