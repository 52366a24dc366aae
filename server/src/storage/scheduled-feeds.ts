import type { Claim, DueWork } from './due-work.ts'

/** A file with products that is fetched on a schedule into a catalog. */
export interface ScheduledFeed {
  id: string
  catalogId: string
  feedUrl: string
  feedFormat: 'CSV' | 'TSV' | 'XML'
  frequency: 'HOURLY' | 'DAILY' | 'WEEKLY'
  /** A number of hours, or a day of the week; null for `DAILY`. */
  repeat: string | null
  /** `HH:MM` in `timeZone`. */
  startTime: string
  timeZone: string
  createdAtMs: number
  updatedAtMs: number
}

/** How many rows of a run were judged, and how. */
export interface FeedCounts {
  rows: number
  created: number
  updated: number
  unchanged: number
  failed: number
}

/** Why a row was refused. Rows are counted from 1, without the header. */
export interface RowError {
  row: number
  id: string | null
  errors: readonly string[]
}

/** `RUNNING`; then `DONE`, or `FAILED` if the file could not be read to its end. */
export type FeedState = 'RUNNING' | 'DONE' | 'FAILED'

/** One run of a feed. */
export interface FeedReport extends FeedCounts {
  id: string
  feedId: string
  state: FeedState
  startedAtMs: number
  finishedAtMs: number | null
  /** Why the run failed. */
  failure: string | null
  /** The first rows that were refused. */
  rowErrors: readonly RowError[]
}

/** The end of a claim: when the feed is due next. If the claim has been lost it has no effect, but see `report`. */
export interface EndOfRun {
  claim: Claim
  nextDueAtMs: number
}

export interface ScheduledFeeds extends DueWork {
  /** A catalog has at most one. */
  of(catalogId: string): Promise<ScheduledFeed | undefined>
  byId(id: string): Promise<ScheduledFeed | undefined>
  /** Returns false if the catalog has one already. */
  create(feed: ScheduledFeed, dueAtMs: number): Promise<boolean>
  /** Replaces a feed by what `change` makes of it; no other update comes between. Undefined if there is none. What `change` throws is thrown. */
  update(id: string, change: (feed: ScheduledFeed) => { feed: ScheduledFeed; dueAtMs: number }): Promise<ScheduledFeed | undefined>
  remove(id: string): Promise<boolean>
  /**
   * Writes a report, deletes the oldest ones beyond `kept`, and ends the run's claim with it. If another process took the run for dead, and
   * ended it, the feed is due as early as this end says.
   */
  report(report: FeedReport, kept: number, end?: EndOfRun): Promise<void>
  /** Ends the reports that are still `RUNNING` as `FAILED`, and the claim with them; returns whether there was one. */
  endRunning(feedId: string, finishedAtMs: number, failure: string, end: EndOfRun): Promise<boolean>
  /** Newest first, before this id. */
  reports(feedId: string, before: string | undefined, limit: number): Promise<FeedReport[]>
}
