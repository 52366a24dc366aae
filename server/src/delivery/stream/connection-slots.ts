import type { Logger } from 'pino'
import type { Clock, Timer } from '../../lib/clock.ts'
import type { StreamConnection, StreamConnections } from '../../storage/stream-connections.ts'
import { logUnlessUnavailable } from '../../storage/unavailable.ts'
import type { WorkLease } from '../../storage/work-lease.ts'
import { RETRY_DELAY_MS } from '../due-retries.ts'

export interface SlotOptions {
  connections: StreamConnections
  lease: WorkLease
  clock: Clock
  logger: Logger
}

/**
 * The connections that this process has among those of all processes. While it has any it holds a lease, so that a frozen process does not
 * keep clients from connecting to another one.
 */
export function createConnectionSlots({ connections, lease, clock, logger }: SlotOptions) {
  let released: string[] = []
  let flushing: Promise<void> | undefined
  let again: Timer | undefined

  const flush = async () => {
    await undefined
    const ids = released
    released = []
    try {
      await connections.close(ids)
    } catch (error) {
      released = ids.concat(released)
      logUnlessUnavailable(logger, error, 'could not remove connections to streams')
      again ??= clock.after(RETRY_DELAY_MS, () => {
        again = undefined
        void flushAll()
      })
    } finally {
      flushing = undefined
    }
  }

  /** Resolves once what was released is removed, or that has failed. Those of one turn are removed together. */
  const flushAll = (): Promise<void> => {
    if (released.length === 0) return flushing ?? Promise.resolve()
    flushing ??= flush()
    return flushing
  }

  return {
    /** Takes a slot. One that was released is free by then. */
    async open(connection: StreamConnection, limit: number): Promise<'opened' | 'limit' | 'no-app'> {
      await flushAll()
      await lease.begin()
      const ended = () => lease.end()
      const opened = await connections.open(connection, limit).catch((error) => {
        // It may have been committed nevertheless.
        released.push(connection.id)
        ended()
        void flushAll()
        throw error
      })
      if (opened !== 'opened') ended()
      return opened
    },
    /** Never rejects. */
    release(id: string): Promise<void> {
      released.push(id)
      lease.end()
      return flushAll()
    },
    stop: () => again?.cancel(),
  }
}
