import type { Clock } from '../lib/clock.ts'
import { MINUTE_MS } from '../lib/duration.ts'
import type { StorageLog } from './storage-log.ts'

/** Tells the operator that the database cannot be used. */
export interface Outage {
  /** Logs one line, unless one was logged within a minute. */
  tell(error: unknown): void
}

/** What a line may hold of an error: no connection, which has the password, and no statement or value. */
const reasonOf = (error: unknown) => {
  const { code, message } = error as { code?: unknown; message?: unknown }
  return { ...(code !== undefined && { code: String(code) }), message: String(message ?? error) }
}

/** One for a database, so that everything which notices an outage tells of it in one line. */
export function createOutage(clock: Clock, log?: StorageLog, message = 'the database cannot be used'): Outage {
  let toldAtMs = Number.NEGATIVE_INFINITY
  return {
    tell(error) {
      if (clock.monotonic() - toldAtMs < MINUTE_MS) return
      toldAtMs = clock.monotonic()
      log?.error({ reason: reasonOf(error) }, message)
    },
  }
}
