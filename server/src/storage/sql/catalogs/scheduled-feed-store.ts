import type { Kysely } from 'kysely'
import type { Change } from '../../changes.ts'
import type { EndOfRun, FeedReport, RowError, ScheduledFeed, ScheduledFeeds } from '../../scheduled-feeds.ts'
import type { Database, NewRow, Row } from '../schema.ts'
import { announce, type SqlDatabase, unannounced } from '../sql-database.ts'
import { createDueRows, endClaim } from './due-rows.ts'

const fromRow = (row: Row<'scheduled_feeds'>): ScheduledFeed => ({
  id: row.id,
  catalogId: row.catalog_id,
  feedUrl: row.feed_url,
  feedFormat: row.feed_format,
  frequency: row.frequency,
  repeat: row.repeat,
  startTime: row.start_time,
  timeZone: row.time_zone,
  createdAtMs: row.created_at_ms,
  updatedAtMs: row.updated_at_ms,
})

const toRow = (feed: ScheduledFeed): NewRow<'scheduled_feeds'> => ({
  id: feed.id,
  catalog_id: feed.catalogId,
  feed_url: feed.feedUrl,
  feed_format: feed.feedFormat,
  frequency: feed.frequency,
  repeat: feed.repeat,
  start_time: feed.startTime,
  time_zone: feed.timeZone,
  created_at_ms: feed.createdAtMs,
  updated_at_ms: feed.updatedAtMs,
})

const reportFromRow = (row: Row<'feed_reports'>): FeedReport => ({
  id: row.id,
  feedId: row.feed_id,
  state: row.state,
  startedAtMs: row.started_at_ms,
  finishedAtMs: row.finished_at_ms,
  failure: row.failure,
  rows: row.rows,
  created: row.created,
  updated: row.updated,
  unchanged: row.unchanged,
  failed: row.failed,
  rowErrors: JSON.parse(row.row_errors) as RowError[],
})

const reportToRow = ({ id, feedId, state, startedAtMs, finishedAtMs, failure, rowErrors, ...counts }: FeedReport) => ({
  id,
  feed_id: feedId,
  state,
  started_at_ms: startedAtMs,
  finished_at_ms: finishedAtMs,
  failure,
  rows: counts.rows,
  created: counts.created,
  updated: counts.updated,
  unchanged: counts.unchanged,
  failed: counts.failed,
  row_errors: JSON.stringify(rowErrors),
})

const FEED_DUE: Change = { kind: 'due', queue: 'scheduled_feeds' }

function createFeedReports({ db, flavour, inTransaction }: SqlDatabase, worker: number) {
  const endRun = (on: Kysely<Database>, { claim, nextDueAtMs }: EndOfRun) =>
    endClaim(on, 'scheduled_feeds', claim, worker, { due_at_ms: nextDueAtMs })

  return {
    report: (report, kept, end) =>
      inTransaction(async (trx) => {
        const row = reportToRow(report)
        const { id, feed_id, ...changed } = row
        const former = trx
          .selectFrom('feed_reports')
          .select('state')
          .where('id', '=', id)
          .$if(flavour.locksRows, (query) => query.forUpdate())
        const isEnded = (await former.executeTakeFirst())?.state === 'FAILED'
        await trx
          .insertInto('feed_reports')
          .values(row)
          .onConflict((conflict) => conflict.column('id').doUpdateSet(changed))
          .execute()
        const newest = trx.selectFrom('feed_reports').select('id').where('feed_id', '=', feed_id).orderBy('id', 'desc').limit(kept)
        await trx.deleteFrom('feed_reports').where('feed_id', '=', feed_id).where('id', 'not in', newest).execute()
        if (!end || (await endRun(trx, end)) || !isEnded) return unannounced(undefined)
        const sooner = trx.updateTable('scheduled_feeds').set({ due_at_ms: end.nextDueAtMs }).where('id', '=', feed_id)
        await sooner.where('worker', 'is', null).where('due_at_ms', '>', end.nextDueAtMs).execute()
        return announce(undefined, FEED_DUE)
      }),
    endRunning: (feedId, finishedAtMs, failure, end) =>
      inTransaction(async (trx) => {
        const running = trx
          .updateTable('feed_reports')
          .set({ state: 'FAILED', finished_at_ms: finishedAtMs, failure })
          .where('feed_id', '=', feedId)
          .where('state', '=', 'RUNNING')
        const isEnded = (await running.executeTakeFirst()).numUpdatedRows > 0n
        if (isEnded) await endRun(trx, end)
        return unannounced(isEnded)
      }),
    async reports(feedId, before, limit) {
      const page = db
        .selectFrom('feed_reports')
        .selectAll()
        .where('feed_id', '=', feedId)
        .$if(before !== undefined, (query) => query.where('id', '<', before!))
      return (await page.orderBy('id', 'desc').limit(limit).execute()).map(reportFromRow)
    },
  } satisfies Partial<ScheduledFeeds>
}

export function createScheduledFeeds(database: SqlDatabase, worker: number): ScheduledFeeds {
  const { db, unannounced: writable, flavour, inTransaction } = database

  const where = async (column: 'id' | 'catalog_id', value: string) => {
    const row = await db.selectFrom('scheduled_feeds').selectAll().where(column, '=', value).executeTakeFirst()
    return row && fromRow(row)
  }

  return {
    ...createDueRows(database, 'scheduled_feeds', worker),
    ...createFeedReports(database, worker),
    of: (catalogId) => where('catalog_id', catalogId),
    byId: (id) => where('id', id),
    create: (feed, dueAtMs) =>
      inTransaction(async (trx) => {
        const inserted = trx.insertInto('scheduled_feeds').values({ ...toRow(feed), due_at_ms: dueAtMs })
        const { numInsertedOrUpdatedRows } = await inserted.onConflict((conflict) => conflict.doNothing()).executeTakeFirstOrThrow()
        return numInsertedOrUpdatedRows === 1n ? announce(true, FEED_DUE) : unannounced(false)
      }),
    update: (id, change) =>
      inTransaction(async (trx) => {
        const existing = trx
          .selectFrom('scheduled_feeds')
          .selectAll()
          .where('id', '=', id)
          .$if(flavour.locksRows, (query) => query.forUpdate())
        const locked = await existing.executeTakeFirst()
        if (!locked) return unannounced(undefined)
        const { feed, dueAtMs } = change(fromRow(locked))
        const { id: _, created_at_ms: __, ...row } = toRow(feed)
        // A run that is going on loses its claim, and with it the right to set the next date.
        await trx
          .updateTable('scheduled_feeds')
          .set({ ...row, due_at_ms: dueAtMs, worker: null })
          .where('id', '=', id)
          .execute()
        return announce(feed, FEED_DUE)
      }),
    async remove(id) {
      return (await writable.deleteFrom('scheduled_feeds').where('id', '=', id).executeTakeFirst()).numDeletedRows === 1n
    },
  }
}
