/** Something that happened while the clock was moved. */
export interface Happening {
  kind: string
  outcome: string
  /** Ids and what else tells it from others. */
  [about: string]: string | number | null
}

export interface DatedHappening extends Happening {
  /** ISO 8601. */
  at: string
}

export interface Collected<T> {
  result: T
  /** Oldest first. */
  happened: DatedHappening[]
  /** How many more there were. */
  more: number
}

/** How long work is waited for, in real milliseconds, and its name if it takes longer. */
export interface Patience {
  ms: number
  name?: () => string
}

/** The background work under way, and what happened. Whoever moves the clock waits for the first and reads the second. */
export interface Activity {
  /** Counts a promise until it has settled, unless a call that is not yet answered made it. Returns it unchanged. */
  track<T>(work: Promise<T>, patience?: Patience): Promise<T>
  happened(happening: Happening): void
  /** Answers the call of a client. What it does counts only if it is still under way when the call is answered. */
  answer<T>(run: () => Promise<T>): Promise<T>
  /** Runs something that a call asked for as if no call had: what it starts counts. */
  apart<T>(run: () => T): T
  /**
   * Resolves to true once nothing is under way but what has used up its patience, and to false if work began for too long. Calls must not
   * overlap.
   */
  quiet(options?: { isHurried: boolean }): Promise<boolean>
  /** Collects what happens during `run`, at most `limit` things. One at a time. */
  collect<T>(limit: number, run: () => Promise<T>): Promise<Collected<T>>
}

/** Counts nothing, for production. */
export const noActivity: Activity = {
  track: (work) => work,
  happened() {},
  answer: (run) => run(),
  apart: (run) => run(),
  quiet: async () => true,
  collect: async (_limit, run) => ({ result: await run(), happened: [], more: 0 }),
}
