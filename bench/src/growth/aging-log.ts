/** What the worker `aging-log.ts` is started with, asked and answers. */
export interface AgingLogArgument {
  url: string
  /** Deliveries are spread over so many webhooks. */
  webhooks: number
}

/**
 * `fill`: appends so many deliveries, each of an event of its own. `expire`: lets everything expire. Otherwise live load for so long;
 * with `trims` beside the trimming of what has expired, which goes on after it.
 */
export type AgingLogRequest = { fill: number } | { expire: true } | { ms: number; trims: boolean }

export interface LiveAppends {
  /** Whether everything that had expired is gone. */
  isTrimmed: boolean
  /** Of live appends: from the call until they are durable. */
  p99Ms: number
  longestMs: number
  /** The longest delay of the event loop. */
  longestStallMs: number
}
