/** What a process counted in a part of the last hour. */
export interface HourPart {
  /** A name that the process has given itself at its start: worker numbers are used again. */
  process: string
  worker: number
  /** When it began to count. */
  sinceMs: number
  /** The last bucket of the part, as a number since 1970. */
  bucket: number
  /** Rows of `metrics/last-hour.ts`. */
  rows: readonly unknown[]
}

/** What the processes that share a database counted, also those that have ended. Rows are not waited for by the disk. */
export interface HourParts {
  /** Adds a part, and deletes those of all processes that end before the bucket `oldest`. */
  save(part: HourPart, oldest: number): Promise<void>
  /** The parts of all processes that end at or after a bucket. */
  since(oldest: number): Promise<HourPart[]>
}
