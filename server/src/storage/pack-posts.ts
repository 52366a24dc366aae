import type { Logger } from 'pino'
import { type Clock, endOfTurn, type Timer } from '../lib/clock.ts'
import { MINUTE_MS, SECOND_MS } from '../lib/time.ts'
import type { KeywordIndex } from './keyword-index.ts'
import { logUnlessUnavailable } from './unavailable.ts'

/** Posts wait until they are so many. */
const WAITING = 256
/** So many are packed in one transaction, for which others wait on SQLite: some milliseconds. */
const AT_ONCE = 64
/** How long after a new post is looked whether there are enough. */
const DELAY_MS = SECOND_MS

export interface Packing {
  start(): void
  stop(): Promise<void>
}

/** Packs posts for the keyword index in the background, some at a time, once enough of them wait. A process without new posts sleeps. */
export function createPacking(index: KeywordIndex, clock: Clock, logger: Logger): Packing {
  let timer: Timer | undefined
  let running: Promise<void> | undefined
  let isStopped = true

  const packAll = async () => {
    while (!isStopped && (await index.hasUnpacked(WAITING))) {
      for (let left = WAITING; left > 0 && !isStopped; left -= AT_ONCE) {
        if ((await index.pack(AT_ONCE)) === 0) return
        await endOfTurn()
      }
    }
  }

  const arm = (delayMs: number) => {
    if (isStopped || timer || running) return
    timer = clock.after(delayMs, () => {
      timer = undefined
      running = packAll()
        .catch((error) => {
          logUnlessUnavailable(logger, error, 'could not pack posts for keyword insights')
          return MINUTE_MS
        })
        .then((retryMs) => {
          running = undefined
          if (retryMs) arm(retryMs)
        })
    })
  }

  index.onUnpacked(() => arm(DELAY_MS))

  return {
    /** Whatever a former process left is packed first. */
    start() {
      isStopped = false
      arm(0)
    },
    async stop() {
      isStopped = true
      timer?.cancel()
      timer = undefined
      await running
    },
  }
}
