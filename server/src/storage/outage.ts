import type { Clock } from '../lib/clock.ts'
import { MINUTE_MS } from '../lib/time.ts'
import type { StorageLog } from './storage-log.ts'

/** What everything that talks to one database knows of its outages. */
export interface Outage {
  /** Logs one line for the operator, unless one was logged within a minute. */
  tell(error: unknown): void
  /** An answer did not come in time: what silenced one connection has perhaps silenced them all. */
  suspect(): void
  onSuspect(suspected: () => void): void
}

/** What a line may hold of an error: no connection, which has the password, and no statement or value. */
const reasonOf = (error: unknown) => {
  const { code, message } = error as { code?: unknown; message?: unknown }
  return { ...(code !== undefined && { code: String(code) }), message: String(message ?? error) }
}

interface OutageOptions {
  message?: string
  /** Which: a file, or a server without its user and password. */
  database?: string
}

/** One for a database, so that everything which notices an outage tells of it in one line. */
export function createOutage(
  clock: Clock,
  log?: StorageLog,
  { message = 'the database cannot be used', database }: OutageOptions = {},
): Outage {
  let toldAtMs = Number.NEGATIVE_INFINITY
  const listeners: (() => void)[] = []
  return {
    suspect() {
      for (const suspected of listeners) suspected()
    },
    onSuspect: (suspected) => void listeners.push(suspected),
    tell(error) {
      if (clock.monotonic() - toldAtMs < MINUTE_MS) return
      toldAtMs = clock.monotonic()
      log?.error({ ...(database !== undefined && { database }), reason: reasonOf(error) }, message)
    },
  }
}
