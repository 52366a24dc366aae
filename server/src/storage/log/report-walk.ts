import type { DeliveryPage, DeliveryQuery, DeliveryReport, DeliveryState } from '../event-log.ts'

/** How many events one slice reads. */
export const SLICE_EVENTS = 500

export interface ReportQuery extends Omit<DeliveryQuery, 'limit' | 'before'> {
  before: number
  /** How many events to read. */
  events: number
}

/** The deliveries of the next events below `before`, newest first. `next` is the `before` of the next slice, or null at the end. */
export interface ReportSlice {
  reports: DeliveryReport[]
  next: number | null
}

/** Whether a delivery in a state, due at a time or not at all, is asked for. */
export const isWanted = ({ state, nextTry }: ReportQuery, is: DeliveryState, dueMs: number | null): boolean =>
  (state === undefined || state === is) && (nextTry === undefined || (dueMs !== null && dueMs >= nextTry.fromMs && dueMs < nextTry.toMs))

type ReadSlice = (query: ReportQuery) => Promise<ReportSlice>

/** Reads the log backwards in bounded slices until `limit` deliveries are found. The last event is never split, so there may be a few more. */
async function walk(query: DeliveryQuery, looks: number, slice: ReadSlice): Promise<DeliveryPage> {
  const found: DeliveryReport[] = []
  const events = query.state ? SLICE_EVENTS : Math.min(SLICE_EVENTS, query.limit)
  let before: number | null = query.before ?? Number.MAX_SAFE_INTEGER
  let left = looks
  while (before !== null && found.length < query.limit && left > 0) {
    const { reports, next }: ReportSlice = await slice({ ...query, before, events })
    found.push(...reports)
    before = next
    left -= events
  }
  const last = found[query.limit - 1]
  if (!last) return { reports: found, next: before }
  return { reports: found.filter((report, index) => index < query.limit || report.sequence === last.sequence), next: last.sequence }
}

/** The most events that a page looks at, so that a rare state costs no more in a long log. */
const MOST_LOOKED = 10_000

/** The reports of a log, read in slices. */
export const reportsBy = (slice: ReadSlice) => ({
  report: async (query: DeliveryQuery) => (await walk(query, Number.POSITIVE_INFINITY, slice)).reports,
  reportPage: (query: DeliveryQuery) => walk(query, MOST_LOOKED, slice),
})
