import { listOf } from '../../../../api/declare/words.ts'
import { adsEndpoint } from '../../../../api/records/ads-endpoint.ts'
import { type After, cursorAfter, cursorRule, readCursor } from '../../../../api/records/cursor.ts'
import { pagingParams } from '../../../../api/records/list-endpoint.ts'
import { type CatalogServices, catalogId, catalogUser, ownCatalog } from '../own-catalog.ts'
import { type FeedServices, feedId, mustGetFeed, presentReport, reportSchema } from './feed-view.ts'

const BY_ID = { sort: [{ field: 'id', descending: true }] }

const tiedTo = ({ scheduled_feed_id }: Record<string, unknown>) => ['listFeedReports', scheduled_feed_id]

const after: After = (params) => readCursor(params.cursor, BY_ID, () => ({ type: 'text', nullable: false }), tiedTo(params))

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
    const page = found.slice(0, count)
    const last = found.length > count ? page.at(-1) : undefined
    return { data: page.map(presentReport), next_cursor: last ? cursorAfter(last, BY_ID, tiedTo(params)) : null }
  },
})
