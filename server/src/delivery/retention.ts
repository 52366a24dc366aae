import type { Logger } from 'pino'
import type { Clock, Timer } from '../lib/clock.ts'
import { HOUR_MS } from '../lib/time.ts'
import type { EventLog } from '../storage/event-log.ts'
import { logUnlessUnavailable } from '../storage/unavailable.ts'
import { createPace, type Pace } from './pace.ts'

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
  /** Told how many events were deleted. */
  trimmed?: (events: number) => void
}

/** Deletes events past the retention period, hourly while there may be some. */
export function createRetention({ log, retentionMs, clock, logger, isPaced, trimmed }: RetentionOptions): Retention {
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
    if (clock.now() < keepUntilMs) arm()
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
