import type { Clock } from '../../lib/clock.ts'
import { createKeyedMutex, TooManyWaiting } from '../../lib/mutex.ts'
import { SECOND_MS } from '../../lib/time.ts'
import { Unavailable } from '../unavailable.ts'

/** How many of this process wait for one thing. */
const MOST_WAITING = 1000
/** How long one waits, in the queue too: longer than the server leaves a lock to a process that is frozen. */
const LONGEST_WAIT_MS = 12 * SECOND_MS
/** Between two tries there is a pause, so that others get the connection. */
const PAUSE_MS = 200

const TOO_MANY = 'Too many concurrent changes to the same app or account. Nothing was changed; retry in a moment.'
const TOO_LONG = 'Timed out waiting for a lock on this app or account. Nothing was changed; retry in a moment.'

/** PostgreSQL's `lock_not_available`: the lock was not had within `lock_timeout`. */
const LOCK_NOT_AVAILABLE = '55P03'

/** The lock, and nothing else, was not to be had: nothing was done. */
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
 * Runs what has one key one after the other in this process, and again for as long as another process holds the lock that it begins
 * with. Throws `Unavailable` when too many wait, or for too long.
 */
export function createLockQueue(clock: Clock) {
  const inQueue = createKeyedMutex(MOST_WAITING)

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
    const givenUpAtMs = clock.monotonic() + LONGEST_WAIT_MS
    try {
      return await inQueue(key, () => untilLocked(run, givenUpAtMs))
    } catch (error) {
      throw error instanceof TooManyWaiting ? new Unavailable(TOO_MANY, { cause: error }) : error
    }
  }
}
