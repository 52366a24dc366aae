import type { Clock } from '../../lib/clock.ts'
import { createKeyedMutex, TooManyWaiting } from '../../lib/mutex.ts'
import { SECOND_MS } from '../../lib/time.ts'
import { Unavailable } from '../unavailable.ts'

/** How many tasks of this process wait for one lock. */
const MAX_WAITING = 1000
/** How long a task waits, including the queue: longer than the server lets a frozen process keep a lock. */
const MAX_WAIT_MS = 12 * SECOND_MS
/** The pause between two tries, so that others get the connection. */
const PAUSE_MS = 200

const TOO_MANY = 'Too many concurrent changes to the same app or account. Nothing was changed; retry in a moment.'
const TOO_LONG = 'Timed out waiting for a lock on this app or account. Nothing was changed; retry in a moment.'

/** PostgreSQL's `lock_not_available`: `lock_timeout` passed. */
const LOCK_NOT_AVAILABLE = '55P03'

/** The first lock was not available. Nothing was done. */
class NotLocked extends Error {}

const locking = async <T>(lock: () => Promise<T>): Promise<T> => {
  try {
    return await lock()
  } catch (error) {
    if ((error as { code?: unknown }).code !== LOCK_NOT_AVAILABLE) throw error
    throw new NotLocked('not locked', { cause: error })
  }
}

type Locking = typeof locking

/**
 * Runs tasks with the same key one at a time in this process, and retries a task while another process holds the lock with which it begins.
 * Throws `Unavailable` if too many tasks wait, or one waits too long.
 */
export function createLockQueue(clock: Clock) {
  const inQueue = createKeyedMutex(MAX_WAITING)

  const pause = () => new Promise<void>((resolve) => void clock.after(PAUSE_MS, resolve))

  const untilLocked = async <T>(run: (locking: Locking) => Promise<T>, givenUpAtMs: number): Promise<T> => {
    while (clock.monotonic() <= givenUpAtMs) {
      try {
        return await run(locking)
      } catch (error) {
        if (!(error instanceof NotLocked)) throw error
        await pause()
      }
    }
    throw new Unavailable(TOO_LONG)
  }

  return async <T>(key: string, run: (locking: Locking) => Promise<T>): Promise<T> => {
    const givenUpAtMs = clock.monotonic() + MAX_WAIT_MS
    try {
      return await inQueue(key, () => untilLocked(run, givenUpAtMs))
    } catch (error) {
      throw error instanceof TooManyWaiting ? new Unavailable(TOO_MANY, { cause: error }) : error
    }
  }
}
