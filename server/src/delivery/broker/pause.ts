import type { Clock } from '../../lib/clock.ts'
import { SECOND_MS } from '../../lib/time.ts'
import type { Hold } from '../hold.ts'

/** Until it is asked again whether events can be accepted, at first and at most. */
const FIRST_PAUSE_MS = SECOND_MS
const LONGEST_PAUSE_MS = 30 * SECOND_MS

interface PauseOptions {
  /** Rejects while no event can be accepted. */
  probe: () => Promise<unknown>
  hold: Pick<Hold, 'since' | 'onRelease'>
  clock: Clock
}

/** Waits while no event can be accepted, or while this is a held copy; ever longer, until a success is told. */
export function createPause({ probe, hold, clock }: PauseOptions) {
  let isPaused = false
  let isStopped = false
  let pauseMs = 0
  /** Ends what it waits for. */
  let wake = () => {}

  const wait = async (ms: number | undefined) => {
    const { promise, resolve } = Promise.withResolvers<void>()
    wake = resolve
    if (isStopped) resolve()
    const timer = ms === undefined ? undefined : clock.after(ms, resolve)
    await promise
    timer?.cancel()
  }

  const canAccept = () =>
    probe().then(
      () => true,
      () => false,
    )

  const isOver = async (): Promise<boolean> => {
    if (hold.since() !== undefined) {
      await wait(undefined)
      return false
    }
    pauseMs = Math.min(Math.max(FIRST_PAUSE_MS, pauseMs * 2), LONGEST_PAUSE_MS)
    await wait(pauseMs)
    return canAccept()
  }

  hold.onRelease(() => wake())
  return {
    isPaused: () => isPaused,
    isNeeded: () => hold.since() !== undefined,
    canAccept,
    async pause() {
      isPaused = true
      while (!(isStopped || (await isOver())));
      isPaused = false
    },
    succeeded() {
      pauseMs = 0
    },
    stop() {
      isStopped = true
      wake()
    },
  }
}
