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

/** Deletes events past the retention period, hourly while there may be some, and slowly. `trimmed` is told how many. */
export function createRetention(
  log: EventLog,
  retentionMs: number,
  clock: Clock,
  logger: Logger,
  trimmed?: (events: number) => void,
): Retention {
  let timer: Timer | undefined
  let pace: Pace | undefined
  let keepUntilMs = 0
  let isStopped = false

  const trim = async () => {
    const nowMs = clock.now()
    pace = createPace(clock)
    const events = await log.trim(nowMs - retentionMs, { pause: pace.pause })
    timer = undefined
    if (events > 0) logger.info({ events }, 'deleted events past the retention period')
    if (events > 0) trimmed?.(events)
    if (nowMs < keepUntilMs) arm()
  }

  const arm = () => {
    if (isStopped) return
    timer ??= clock.after(HOUR_MS, () => void trim().catch(failed))
  }

  const failed = (error: unknown) => {
    timer = undefined
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
