import { adsProblem } from '../../../../api/declare/problem.ts'
import { id, integer, iso, listOf, matching, nullable, object, oneOf, text, timestamp } from '../../../../api/declare/words.ts'
import { isTimezone } from '../../../../lib/time.ts'
import type { FeedReport, ScheduledFeed, ScheduledFeeds } from '../../../../storage/scheduled-feeds.ts'
import { isHttpsUrl, MAX_URL } from '../rules/web-links.ts'
import { days, hours, repeatMistake } from './schedule.ts'

export interface FeedServices {
  scheduledFeeds: ScheduledFeeds
  now: () => number
  loopbackHttp: boolean
}

/** The parameters of a feed. */
export const feedParams = {
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

export const feedSchema = object({
  id: id(),
  product_catalog_id: id(),
  ...feedParams,
  created_at: timestamp(),
  updated_at: timestamp(),
})

export const presentFeed = (feed: ScheduledFeed) => ({
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
export function assertFeed(feed: ScheduledFeed, { loopbackHttp }: FeedServices) {
  const { feedUrl, timeZone } = feed
  const refuse = (parameter: string, message: string) => adsProblem('INVALID_PARAMETER', message, parameter)
  if (!isHttpsUrl(feedUrl, loopbackHttp)) throw refuse('feed_url', 'feed_url must be an absolute https URL')
  if (!isTimezone(timeZone)) throw refuse('time_zone', 'time_zone must be an IANA time zone, such as Europe/Berlin')
  const mistake = repeatMistake(feed)
  if (mistake !== undefined) throw refuse('repeat', mistake)
}

export const feedNotFound = (feedKey: string) => adsProblem('NOT_FOUND', `Scheduled feed ${feedKey} was not found`)

/** A feed of a catalog. Throws 404. */
export async function mustGetFeed({ scheduledFeeds }: Pick<FeedServices, 'scheduledFeeds'>, catalogId: string, feedKey: string) {
  const feed = await scheduledFeeds.of(catalogId)
  if (feed?.id !== feedKey) throw feedNotFound(feedKey)
  return feed
}

const count = () => integer({ min: 0 })

export const reportSchema = object({
  id: id(),
  scheduled_feed_id: id(),
  state: oneOf(['RUNNING', 'DONE', 'FAILED'], {
    description: '`FAILED`: the file could not be read to its end. Rows before that are stored.',
  }),
  started_at: timestamp(),
  finished_at: nullable(timestamp()),
  duration_ms: nullable(count()),
  rows: count(),
  created: count(),
  updated: count(),
  unchanged: count(),
  failed: count(),
  failure: nullable(text({ description: 'Why the run failed.' })),
  errors: listOf(object({ row: integer({ min: 1 }), id: nullable(text()), errors: listOf(text()) }), {
    description: 'The first 100 rows that were refused. Rows are counted from 1, without the header.',
  }),
})

export const presentReport = ({ id: key, feedId: feedKey, startedAtMs, finishedAtMs, rowErrors, ...report }: FeedReport) => ({
  id: key,
  scheduled_feed_id: feedKey,
  state: report.state,
  started_at: iso(startedAtMs),
  finished_at: finishedAtMs === null ? null : iso(finishedAtMs),
  duration_ms: finishedAtMs === null ? null : Math.max(0, finishedAtMs - startedAtMs),
  rows: report.rows,
  created: report.created,
  updated: report.updated,
  unchanged: report.unchanged,
  failed: report.failed,
  failure: report.failure,
  errors: rowErrors.map(({ row, id: item, errors }) => ({ row, id: item, errors: [...errors] })),
})
