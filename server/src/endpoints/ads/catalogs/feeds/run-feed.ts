import type { Readable } from 'node:stream'
import type { Logger } from 'pino'
import type { Clock } from '../../../../lib/clock.ts'
import { endOfTurn } from '../../../../lib/clock.ts'
import { MINUTE_MS } from '../../../../lib/time.ts'
import type { Claim } from '../../../../storage/due-work.ts'
import type { ImageChecks } from '../../../../storage/image-checks.ts'
import type { FeedCounts, FeedReport, RowError, ScheduledFeed, ScheduledFeeds } from '../../../../storage/scheduled-feeds.ts'
import { addImageWarnings } from '../images/image-warnings.ts'
import { type PutResult, type PutServices, putItems, type SentItem } from '../products/put-items.ts'
import type { FetchOptions } from '../work/fetch-options.ts'
import { FeedCutOff, FeedFailure, fetchFeed } from './fetch-feed.ts'
import { readTable } from './read-table.ts'
import { readXml } from './read-xml.ts'
import { nextRunMs } from './schedule.ts'

export const CLAIM_MS = MINUTE_MS
/** How many rows are put at once, as one request can have. */
const SLICE = 25
const MAX_ROWS = 100_000
const MAX_ROW_ERRORS = 100
const KEPT_REPORTS = 30

export interface FeedOptions extends FetchOptions, PutServices {
  scheduledFeeds: ScheduledFeeds
  imageChecks: ImageChecks
  clock: Clock
  logger: Logger
}

/** The run must not go on: another process has taken it over, or the feed is gone. */
class RunLost extends Error {
  constructor() {
    super('the run was ended because the feed was changed, or taken over by another process')
  }
}

const countOf = { CREATE_SUCCESS: 'created', UPDATE_SUCCESS: 'updated', NO_CHANGE: 'unchanged', ERROR: 'failed' } as const

/** Counts the results of rows. */
function createTally() {
  const counts: FeedCounts = { rows: 0, created: 0, updated: 0, unchanged: 0, failed: 0 }
  const rowErrors: RowError[] = []
  return {
    counts,
    rowErrors,
    add({ status, id, errors }: PutResult) {
      counts.rows += 1
      counts[countOf[status]] += 1
      if (status === 'ERROR' && rowErrors.length < MAX_ROW_ERRORS) rowErrors.push({ row: counts.rows, id, errors })
    },
  }
}

/** Items in slices. Throws beyond the maximum of rows. */
async function* inSlices(items: AsyncIterable<SentItem>): AsyncGenerator<SentItem[]> {
  let rows = 0
  let slice: SentItem[] = []
  for await (const item of items) {
    rows += 1
    if (rows > MAX_ROWS) throw new FeedFailure(`the file must have at most ${MAX_ROWS} rows`)
    slice.push(item)
    if (slice.length < SLICE) continue
    yield slice
    slice = []
  }
  if (slice.length > 0) yield slice
}

/** Keeps a claim while a run goes on. */
function createClaimKeeper(claimed: Claim, { scheduledFeeds, clock }: FeedOptions) {
  let claim = claimed
  return {
    current: () => claim,
    async keep() {
      if (claim.untilMs - clock.now() > CLAIM_MS / 2) return
      const renewed = await scheduledFeeds.renew(claim, clock.now() + CLAIM_MS)
      if (!renewed) throw new RunLost()
      claim = renewed
    },
  }
}

/** The items of a file. Whatever is wrong with it is a `FeedFailure`. */
async function* readItems({ feedFormat: format }: ScheduledFeed, file: Readable): AsyncGenerator<SentItem> {
  try {
    yield* format === 'XML' ? readXml(file) : readTable(file, format)
  } catch (error) {
    const cause = file.errored ?? error
    if (cause instanceof FeedFailure || cause instanceof FeedCutOff) throw cause
    throw new FeedFailure(`the file is not ${format}: ${(error as Error).message}`)
  }
}

/** Reads a file to its end and puts its rows. Throws a `FeedFailure` that says why it cannot be read. */
async function putRows(feed: ScheduledFeed, options: FeedOptions, tally: ReturnType<typeof createTally>, keep: () => Promise<void>) {
  const file = fetchFeed(feed.feedUrl, options)
  const services = { ...options, now: () => options.clock.now() }
  try {
    for await (const slice of inSlices(readItems(feed, file))) {
      await keep()
      const results = await putItems(feed.catalogId, slice, services)
      if (!results) throw new RunLost()
      await addImageWarnings(slice, results, services)
      results.forEach(tally.add)
      await endOfTurn()
    }
  } finally {
    file.destroy()
  }
}

/** A run that a process which died has left. */
async function endInterrupted({ scheduledFeeds, clock }: FeedOptions, feedId: string) {
  for (const report of await scheduledFeeds.reports(feedId, undefined, KEPT_REPORTS))
    if (report.state === 'RUNNING')
      await scheduledFeeds.report(
        { ...report, state: 'FAILED', finishedAtMs: clock.now(), failure: 'the run was interrupted, and begun again' },
        KEPT_REPORTS,
      )
}

/** Runs a feed that is due: fetches its file, puts each row as a product, and reports. */
export async function runFeed(claimed: Claim, options: FeedOptions) {
  const { scheduledFeeds, ids, clock, logger } = options
  const feed = await scheduledFeeds.byId(claimed.id)
  if (!feed) return
  const claim = createClaimKeeper(claimed, options)
  const tally = createTally()
  const about = { id: ids.next(), feedId: feed.id, startedAtMs: clock.now() }
  const report = (end: Pick<FeedReport, 'state' | 'finishedAtMs' | 'failure'>) =>
    scheduledFeeds.report({ ...about, ...tally.counts, rowErrors: tally.rowErrors, ...end }, KEPT_REPORTS)
  await endInterrupted(options, feed.id)
  await report({ state: 'RUNNING', finishedAtMs: null, failure: null })
  let failure: string | null = null
  try {
    await putRows(feed, options, tally, claim.keep)
  } catch (error) {
    if (error instanceof FeedCutOff) return
    if (!(error instanceof FeedFailure || error instanceof RunLost)) throw error
    failure = error.message
  }
  await report({ state: failure === null ? 'DONE' : 'FAILED', finishedAtMs: clock.now(), failure })
  logger.info({ feed_id: feed.id, ...tally.counts, failure }, 'scheduled feed')
  await scheduledFeeds.finish(claim.current(), nextRunMs(feed, clock.now()))
}
