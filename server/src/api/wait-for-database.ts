import type { Clock } from '../lib/clock.ts'
import { DatabaseAway } from '../storage/unavailable.ts'

/** Of all calls that wait, which have their bodies in memory. */
const MOST_WAITING = 1000
const MOST_BYTES = 64 * 1024 * 1024
/** How often the database is asked whether it can be used again. */
const LOOK_EVERY_MS = 200
/** A connection may break again and again. */
const MOST_REPEATS = 3

interface Options {
  clock: Pick<Clock, 'after' | 'elapsed'>
  /** How long a database may be away until calls no longer wait for it, in milliseconds. */
  waitMs: number
  /** Whether the database can be used. */
  isReady(): Promise<boolean>
}

/** Runs a step of a call, and again once the database is back where it failed because that was away, if it may be repeated. */
export type RunUntilBack = <Result>(step: () => Result, isRepeatable?: boolean) => Result

export interface DatabaseWait {
  /** Runs the steps of one call, whose body has so many bytes. */
  run(bytes: number): RunUntilBack
  /** Told of an outage: whether calls still wait for its end. */
  isPatient(): boolean
}

/** Where nothing waits. */
export const waitForNothing: DatabaseWait = { run: () => (step) => step(), isPatient: () => false }

/**
 * Lets calls wait while the database restarts or fails over, instead of a refusal. An outage that is longer than `waitMs` is answered with 503
 * at once until it is over.
 */
export function createDatabaseWait({ clock, waitMs, isReady }: Options): DatabaseWait {
  if (waitMs === 0) return waitForNothing
  /** `back` resolves with whether the database was back in time. Undefined while nobody has met an outage. */
  let outage: { back: Promise<boolean>; givenUpAtMs: number } | undefined
  let waiting = 0
  let waitingBytes = 0

  const watch = () => {
    const { promise: back, resolve } = Promise.withResolvers<boolean>()
    const givenUpAtMs = clock.elapsed() + waitMs
    const look = async () => {
      if (await isReady()) {
        outage = undefined
        return resolve(true)
      }
      if (clock.elapsed() >= givenUpAtMs) resolve(false)
      lookLater()
    }
    const lookLater = () => clock.after(LOOK_EVERY_MS, () => void look())
    lookLater()
    return { back, givenUpAtMs }
  }

  const isBack = async (bytes: number) => {
    if (waiting >= MOST_WAITING || waitingBytes + bytes > MOST_BYTES) return false
    waiting += 1
    waitingBytes += bytes
    outage ??= watch()
    const back = await outage.back
    waiting -= 1
    waitingBytes -= bytes
    return back
  }

  const run = (bytes: number): RunUntilBack => {
    let repeats = 0
    return <Result>(step: () => Result, isRepeatable = true): Result => {
      const result = step()
      if (!isRepeatable || !(result instanceof Promise)) return result
      const again = async (error: unknown): Promise<unknown> => {
        if (!(error instanceof DatabaseAway) || repeats === MOST_REPEATS || !(await isBack(bytes))) throw error
        repeats += 1
        return (step() as Promise<unknown>).catch(again)
      }
      return result.catch(again) as Result
    }
  }

  return {
    run,
    isPatient() {
      outage ??= watch()
      return clock.elapsed() < outage.givenUpAtMs
    },
  }
}
