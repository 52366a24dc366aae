import type { Clock } from '../lib/clock.ts'
import { MINUTE_MS } from '../lib/time.ts'
import type { StorageLog } from './storage-log.ts'

/** Outages of one database, shared by all of its connections. */
export interface Outage {
  /** Logs the outage for the operator, at most once a minute. */
  report(error: unknown): void
  /**
   * A connection did not answer in time, so the others may be dead too; or its session could write nothing, so the others may lead to the
   * same server. Calls the listeners, which test their connections or close them.
   */
  suspectConnections(reason: Suspicion): void
  /** Returns what takes the listener off again. */
  onSuspect(listener: (reason: Suspicion) => void): () => void
}

export type Suspicion = 'unanswered' | 'read-only'

/** The members of an error that may be logged: no connection (it has the password), no statement and no value. */
const reasonOf = (error: unknown) => {
  const { code, message } = error as { code?: unknown; message?: unknown }
  return { ...(code !== undefined && { code: String(code) }), message: String(message ?? error) }
}

interface OutageOptions {
  message?: string
  /** The database: a file, or a server without user and password. */
  database?: string
}

/** One for each database, so that an outage that many connections notice is logged once. */
export function createOutage(
  clock: Clock,
  log?: StorageLog,
  { message = 'the database cannot be used', database }: OutageOptions = {},
): Outage {
  let loggedAtMs = Number.NEGATIVE_INFINITY
  const listeners = new Set<(reason: Suspicion) => void>()
  return {
    suspectConnections(reason) {
      for (const listener of listeners) listener(reason)
    },
    onSuspect(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    report(error) {
      if (clock.monotonic() - loggedAtMs < MINUTE_MS) return
      loggedAtMs = clock.monotonic()
      log?.error({ ...(database !== undefined && { database }), reason: reasonOf(error) }, message)
    },
  }
}
