import type { Logger } from 'pino'
import type { Clock, Timer } from '../lib/clock.ts'
import { SECOND_MS } from '../lib/time.ts'
import type { Changes } from './changes.ts'
import { logUnlessUnavailable } from './unavailable.ts'

/** Delay before the map is read again after a failure. */
const AGAIN_MS = SECOND_MS

interface FollowOptions {
  changes: Changes
  clock: Clock
  logger: Logger
  /** Reads the map. It may be called while it still reads. */
  read(): Promise<void>
  /** Called after each failure. The map is read again then. */
  failed?(): void
}

export interface FollowedMap {
  /** Reads nothing any more. */
  stop(): void
}

/** Reads the map of the event logs whenever it may have changed. A failed read is repeated until one has worked. */
export function followLogMap({ changes, clock, logger, read, failed = () => {} }: FollowOptions): FollowedMap {
  let timer: Timer | undefined
  let isStopped = false

  const look = () => {
    timer?.cancel()
    read().catch((error) => {
      if (isStopped) return
      logUnlessUnavailable(logger, error, 'could not read which event log has what')
      failed()
      timer?.cancel()
      timer = clock.after(AGAIN_MS, look, { isUpkeep: true })
    })
  }

  changes.listen(({ kind }) => {
    if (!isStopped && (kind === 'logs' || kind === 'everything')) look()
  })
  return {
    stop() {
      isStopped = true
      timer?.cancel()
    },
  }
}
