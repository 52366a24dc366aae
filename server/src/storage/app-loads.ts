/** What one process counted for its apps in a minute, or all of them in an hour. */
export interface LoadPart {
  /** A name that the process has given itself at its start. */
  process: string
  /** Of a minute its number, of an hour one below 0: no two parts of a process have the same. */
  part: number
  /** Its first minute, counted since 1970. */
  bucket: number
  /** How many minutes it is long: 1 or 60. */
  minutes: number
  /** What `metrics/app-load.ts` made of the counts. */
  counts: string
}

/** Adds up the counts of parts. */
export type MergeCounts = (counts: readonly string[]) => string

/** Rows of each kind are counted so far. */
export const MAX_ROWS_COUNTED = 100_000

/** The load by app of all processes that share the database, also of those that have ended. A loss of power may lose the last minutes. */
export interface AppLoads {
  /** Adds to a part, or makes it. */
  save(part: LoadPart, merge: MergeCounts): Promise<void>
  /** The parts that have minutes from `from` (inclusive) to `to` (exclusive). */
  between(from: number, to: number): Promise<Pick<LoadPart, 'bucket' | 'minutes' | 'counts'>[]>
  /**
   * Replaces the parts of the oldest hour by one, if it ends at or before `before`, and deletes what ends before `oldest`. False when there was
   * nothing to replace.
   */
  fold(options: { before: number; oldest: number; process: string; part: number; merge: MergeCounts }): Promise<boolean>
  /**
   * How many rows each app has: webhooks, subscriptions, tokens of users and grants of OAuth 2.0, each counted up to `MAX_ROWS_COUNTED`. Without
   * ids those of all apps.
   */
  countRows(appIds?: readonly string[]): Promise<Map<string, number>>
  /** The webhooks of these apps, at most `limit`. */
  webhooksOf(appIds: readonly string[], limit: number): Promise<{ appId: string; webhookId: string }[]>
}
