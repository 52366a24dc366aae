import type { Clock } from '../lib/clock.ts'
import { HOUR_MS, SECOND_MS } from '../lib/time.ts'

/** For each millisecond of work it pauses so many. */
const PAUSE_PER_WORK = 29
const MAX_PAUSE_MS = SECOND_MS
/** Work that takes longer is not held up any more: what it works off may grow faster. */
const PACED_MS = HOUR_MS / 2

/** Lets work in slices take a thirtieth of the time, so that little else has to wait for a slice. */
export interface Pace {
  /** Call it between two slices: it resolves after a pause, to false if the work is to end. */
  pause(): Promise<boolean>
  /** Ends the work after its current slice or pause. */
  stop(): void
}

export function createPace(clock: Clock): Pace {
  const startedMs = clock.monotonic()
  let isStopped = false
  let endPause: (() => void) | undefined
  let resumedMs = startedMs

  const wait = async (ms: number) => {
    const waited = Promise.withResolvers<void>()
    endPause = waited.resolve
    const timer = clock.after(ms, waited.resolve, { isUpkeep: true })
    await waited.promise
    timer.cancel()
  }

  return {
    async pause() {
      const nowMs = clock.monotonic()
      if (!isStopped && nowMs - startedMs < PACED_MS) await wait(Math.min(PAUSE_PER_WORK * (nowMs - resumedMs), MAX_PAUSE_MS))
      resumedMs = clock.monotonic()
      return !isStopped
    },
    stop() {
      isStopped = true
      endPause?.()
    },
  }
}
