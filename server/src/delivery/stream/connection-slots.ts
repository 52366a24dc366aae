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
  /** The removal that was begun last, and the one that begins after it. Neither rejects. */
  let removing: Promise<void> = Promise.resolve()
  let next: Promise<void> | undefined
  let again: Timer | undefined

  const remove = async () => {
    removing = next!
    next = undefined
    const ids = released
    released = []
    try {
      await connections.close(ids)
    } catch (error) {
      released = ids.concat(released)
      logUnlessUnavailable(logger, error, 'could not remove connections to streams')
      again ??= clock.after(RETRY_DELAY_MS, () => {
        again = undefined
        void removeReleased()
      })
    }
  }

  /**
   * Resolves once what was released is removed, or that has failed. What is released while others are being removed is removed after them,
   * all at once.
   */
  const removeReleased = (): Promise<void> => {
    if (released.length > 0) next ??= removing.then(remove)
    return next ?? removing
  }

  return {
    /** Takes a slot. One that was released is free by then. */
    async open(connection: StreamConnection, limit: number): Promise<'opened' | 'limit' | 'no-app'> {
      await removeReleased()
      await lease.begin()
      const ended = () => lease.end()
      const opened = await connections.open(connection, limit).catch((error) => {
        // It may have been committed nevertheless.
        released.push(connection.id)
        ended()
        void removeReleased()
        throw error
      })
      if (opened !== 'opened') ended()
      return opened
    },
    /** Never rejects. */
    release(id: string): Promise<void> {
      released.push(id)
      lease.end()
      return removeReleased()
    },
    stop: () => again?.cancel(),
  }
}
