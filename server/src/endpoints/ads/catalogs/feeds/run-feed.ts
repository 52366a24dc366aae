import type { Readable } from 'node:stream'
import type { Logger } from 'pino'
import { type Clock, endOfTurn, type Timer } from '../../../../lib/clock.ts'
import { cutText } from '../../../../lib/text.ts'
import { MINUTE_MS } from '../../../../lib/time.ts'
import type { ImageChecks } from '../../../../storage/catalogs.ts'
import type { Claim } from '../../../../storage/due-work.ts'
import type { EndOfRun, FeedCounts, FeedReport, RowError, ScheduledFeed, ScheduledFeeds } from '../../../../storage/scheduled-feeds.ts'
import { asUnavailable, isUnavailable, logUnlessUnavailable } from '../../../../storage/unavailable.ts'
import { writeOnceBack } from '../../../work/due-worker.ts'
import { addImageWarnings } from '../images/image-warnings.ts'
import { type PutResult, type PutServices, putItems, type SentItem } from '../products/put-items.ts'
import type { FetchOptions } from '../work/fetch-options.ts'
import { FeedCutOff, FeedFailure, fetchFeed } from './fetch-feed.ts'
import { readXml } from './read-xml.ts'
import { readTable } from './row-items.ts'
import { nextRunMs } from './schedule.ts'

export const CLAIM_MS = MINUTE_MS
const RENEW_MS = CLAIM_MS / 3
/** How many rows are put at once, as one request can have. */
const SLICE = 25
const MAX_ROWS = 100_000
const MAX_ROW_ERRORS = 100
const KEPT_REPORTS = 30
/** Of what a report repeats of a file, in characters. */
const MAX_ID = 255
const MAX_FAILURE = 1000

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
      if (status === 'ERROR' && rowErrors.length < MAX_ROW_ERRORS)
        rowErrors.push({ row: counts.rows, id: id === null ? null : cutText(id, MAX_ID), errors })
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

/** Keeps a claim while a run goes on, however slowly its file arrives. Calls `lost` when another process has taken it. */
function createClaimKeeper(claimed: Claim, { scheduledFeeds, clock, logger }: FeedOptions, lost: () => void) {
  let claim = claimed
  let renewing: Promise<void> = Promise.resolve()
  let timer: Timer | undefined
  const renew = async () => {
    const renewed = await scheduledFeeds.renew(claim, clock.now() + CLAIM_MS)
    if (!renewed) return lost()
    claim = renewed
  }
  const wait = () => {
    timer = clock.after(RENEW_MS, () => {
      wait()
      // A renewal that failed is made again with the next one; the claim holds for several of them.
      renewing = renewing.then(renew).catch((error) => logUnlessUnavailable(logger, error, 'could not renew the claim of a feed'))
    })
  }
  wait()
  return {
    /** Renews no more; resolves with the claim as it is then. */
    async stop() {
      timer?.cancel()
      await renewing
      return claim
    },
  }
}

/** The items of a file. Whatever is wrong with it is a `FeedFailure`. */
async function* readItems({ feedFormat: format }: ScheduledFeed, file: Readable): AsyncGenerator<SentItem> {
  try {
    yield* format === 'XML' ? readXml(file) : readTable(file, format)
  } catch (error) {
    const cause = file.errored ?? error
    if (cause instanceof FeedFailure || cause instanceof FeedCutOff || cause instanceof RunLost) throw cause
    throw new FeedFailure(`the file is not ${format}: ${(error as Error).message}`)
  }
}

/** Reads a file to its end and puts its rows. Throws a `FeedFailure` that says why it cannot be read. */
async function putRows(feed: ScheduledFeed, file: Readable, options: FeedOptions, tally: ReturnType<typeof createTally>) {
  const services = { ...options, now: () => options.clock.now() }
  try {
    for await (const slice of inSlices(readItems(feed, file))) {
      if (file.errored instanceof RunLost) throw file.errored
      const results = await putItems(feed.catalogId, slice, services)
      if (!results) throw new RunLost()
      await addImageWarnings(feed.catalogId, slice, results, services)
      results.forEach(tally.add)
      await endOfTurn()
    }
  } finally {
    file.destroy()
  }
}

/** So often in a row a run that met an outage is made again: what looks like one may be of the feed, or last. */
const MOST_AGAIN = 3

const CUT_OFF = 'the run was interrupted, and begun again'
const GIVEN_UP = 'the run was interrupted several times; the next one is at the next date of the schedule'
const DIED = 'the process ended during the run; the next one is at the next date of the schedule'

/**
 * Runs a feed that is due: fetches its file, puts each row as a product, and reports. A run that met an outage is reported once that is over,
 * and is due again soon, a few times in a row.
 */
export async function runFeed(claimed: Claim, options: FeedOptions, isStopped: () => boolean) {
  const { scheduledFeeds, ids, clock, logger } = options
  const feed = await scheduledFeeds.byId(claimed.id)
  if (!feed) return
  const tally = createTally()
  const about = { id: ids.next(), feedId: feed.id, startedAtMs: clock.now() }
  const report = (state: Pick<FeedReport, 'state' | 'finishedAtMs' | 'failure'>, end?: EndOfRun) =>
    scheduledFeeds.report({ ...about, ...tally.counts, rowErrors: tally.rowErrors, ...state }, KEPT_REPORTS, end)
  const nextDueAtMs = () => nextRunMs(feed, clock.now())
  const wasCutOff = async () => {
    const before = await scheduledFeeds.reports(feed.id, about.id, MOST_AGAIN)
    return before.length === MOST_AGAIN && before.every((one) => one.failure === CUT_OFF)
  }
  // The file itself may be what the process died of: it is not fetched again at once.
  if (await scheduledFeeds.endRunning(feed.id, clock.now(), DIED, { claim: claimed, nextDueAtMs: nextDueAtMs() })) return
  let claim = claimed
  let failure: string | null = null
  try {
    await report({ state: 'RUNNING', finishedAtMs: null, failure: null })
    const file = fetchFeed(feed.feedUrl, options)
    const keeper = createClaimKeeper(claimed, options, () => file.destroy(new RunLost()))
    try {
      await putRows(feed, file, options, tally)
    } finally {
      claim = await keeper.stop()
    }
  } catch (error) {
    if (error instanceof FeedCutOff) return report({ state: 'FAILED', finishedAtMs: clock.now(), failure: CUT_OFF })
    const isOutage = isUnavailable(asUnavailable(error))
    if (!(isOutage || error instanceof FeedFailure || error instanceof RunLost)) throw error
    failure = isOutage ? CUT_OFF : cutText((error as Error).message, MAX_FAILURE)
  }
  const state = failure === null ? 'DONE' : 'FAILED'
  const end = async () => {
    if (failure === CUT_OFF && (await wasCutOff())) failure = GIVEN_UP
    const dueAtMs = failure === CUT_OFF ? clock.now() + CLAIM_MS : nextDueAtMs()
    await report({ state, finishedAtMs: clock.now(), failure }, { claim, nextDueAtMs: dueAtMs })
  }
  await writeOnceBack(end, clock, isStopped)
  logger.info({ feed_id: feed.id, ...tally.counts, failure }, 'scheduled feed')
}
