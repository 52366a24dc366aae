import { id, integer, iso, listOf, nullable, object, oneOf, text, timestamp } from '../../../../api/declare/words.ts'
import { adsEndpoint } from '../../../../api/records/ads-endpoint.ts'
import { cursorRule, pagesBy } from '../../../../api/records/cursor.ts'
import { pagingParams } from '../../../../api/records/list-endpoint.ts'
import type { FeedReport } from '../../../../storage/scheduled-feeds.ts'
import { type CatalogServices, catalogId, catalogUser, ownCatalog } from '../own-catalog.ts'
import { type FeedServices, feedId, mustGetFeed } from './feeds.ts'

const count = () => integer({ min: 0 })

const reportSchema = object({
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

const presentReport = ({ id: key, feedId: feedKey, startedAtMs, finishedAtMs, rowErrors, ...report }: FeedReport) => ({
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

const tiedTo = ({ scheduled_feed_id }: Record<string, unknown>) => ['listFeedReports', scheduled_feed_id]

const { after, pageOf } = pagesBy('id', 'text', tiedTo)

export const listFeedReports = adsEndpoint({
  name: 'listFeedReports',
  route: 'GET /12/product_catalogs/:product_catalog_id/scheduled_feeds/:scheduled_feed_id/reports',
  section: '§4.5',
  summary: 'List the reports of the runs of a scheduled feed, newest first. For apps with early access.',
  description: 'The reports of the last 30 runs are kept.',
  auth: catalogUser,
  rateLimit: 1000,
  params: { ...catalogId, ...feedId, ...pagingParams({ default: 20, max: 50 }) },
  rules: [cursorRule(['product_catalog_id', 'scheduled_feed_id'], after)],
  data: listOf(reportSchema),
  isList: true,
  async handle({ params, caller }, services: CatalogServices & FeedServices) {
    const { product_catalog_id: catalogKey, scheduled_feed_id: feedKey, count } = params
    await ownCatalog(services, caller, catalogKey)
    await mustGetFeed(services, catalogKey, feedKey)
    const found = await services.scheduledFeeds.reports(feedKey, after(params)?.key, count + 1)
    const { page, next_cursor } = pageOf(found, params)
    return { data: page.map(presentReport), next_cursor }
  },
})
