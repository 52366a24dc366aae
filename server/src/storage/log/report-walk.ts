import type { DeliveryQuery, DeliveryReport } from '../event-log.ts'

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

/** Reads the log backwards in bounded slices until `limit` deliveries are found. The last event is never split, so there may be a few more. */
export async function walkReports(query: DeliveryQuery, slice: (query: ReportQuery) => Promise<ReportSlice>): Promise<DeliveryReport[]> {
  const found: DeliveryReport[] = []
  const events = query.state ? SLICE_EVENTS : Math.min(SLICE_EVENTS, query.limit)
  let before: number | null = query.before ?? Number.MAX_SAFE_INTEGER
  while (before !== null && found.length < query.limit) {
    const { reports, next }: ReportSlice = await slice({ ...query, before, events })
    found.push(...reports)
    before = next
  }
  const last = found[query.limit - 1]
  return last ? found.filter((report, index) => index < query.limit || report.sequence === last.sequence) : found
}
