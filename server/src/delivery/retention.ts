import type { Logger } from 'pino'
import type { Clock, Timer } from '../lib/clock.ts'
import { HOUR_MS, SECOND_MS } from '../lib/time.ts'
import type { EventLog } from '../storage/event-log.ts'
import { logUnlessUnavailable } from '../storage/unavailable.ts'

/** For each millisecond of work it pauses so many. */
const PAUSE_PER_WORK = 29
const MAX_PAUSE_MS = SECOND_MS
/** Work that takes longer is not held up any more: what it works off may grow faster. */
const PACED_MS = HOUR_MS / 2

/** Lets work in slices take a thirtieth of the time, so that little else has to wait for a slice. */
interface Pace {
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

export interface Retention {
  /** Called when events may have been appended: trims in an hour, unless that is scheduled already. */
  wake(): void
  stop(): void
}

export interface RetentionOptions {
  log: EventLog
  retentionMs: number
  clock: Clock
  logger: Logger
  /** Events are deleted slowly, so that appends seldom wait. In development whoever moves the clock waits for it instead. */
  isPaced: boolean
  /** Other processes append too: trims every hour, whatever is appended here. */
  isShared?: boolean
  /** Told how many events were deleted. */
  trimmed?: (events: number) => void
}

/** Deletes events past the retention period, hourly while there may be some. */
export function createRetention({ log, retentionMs, clock, logger, isPaced, isShared = false, trimmed }: RetentionOptions): Retention {
  let timer: Timer | undefined
  let pace: Pace | undefined
  let keepUntilMs = 0
  let isStopped = false

  const trim = async () => {
    pace = isPaced ? createPace(clock) : undefined
    const events = await log.trim(clock.now() - retentionMs, { pause: pace?.pause })
    timer = undefined
    pace = undefined
    if (events > 0) logger.info({ events }, 'deleted events past the retention period')
    if (events > 0) trimmed?.(events)
    if (isShared || clock.now() < keepUntilMs) arm()
  }

  const arm = () => {
    if (isStopped) return
    timer ??= clock.after(HOUR_MS, () => void trim().catch(failed))
  }

  const failed = (error: unknown) => {
    timer = undefined
    pace = undefined
    logUnlessUnavailable(logger, error, 'could not delete events past the retention period')
    arm()
  }

  return {
    wake() {
      keepUntilMs = Math.max(keepUntilMs, clock.now() + retentionMs + HOUR_MS)
      arm()
    },
    stop() {
      isStopped = true
      timer?.cancel()
      pace?.stop()
    },
  }
}
