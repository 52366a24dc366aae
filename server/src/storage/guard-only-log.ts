import type { Logger } from 'pino'
import type { Clock } from '../lib/clock.ts'
import { followLogMap } from './follow-log-map.ts'
import { assertComplete, type LogMap } from './log-map.ts'
import type { Storage } from './storage.ts'
import { DatabaseAway, Unavailable } from './unavailable.ts'

/** The numbers that the log in the database of the state has: one, or none before several were named. */
const ownOf = ({ logs }: LogMap) => new Set(logs.filter(({ isOfState }) => isOfState).map(({ log }) => log))

export interface OnlyLogGuard {
  /** Throws when others have a part of the events, or while it cannot be read whether they have. */
  assertOnly(): void
  stop(): void
}

/**
 * For a process that knows the event log in the database of the state alone. Throws if others have a part of the events. If they are given one
 * while the process runs, `assertOnly` throws from then on: nothing is appended where nobody would look for it.
 */
export function guardOnlyLog({ logMap, logMapAtStart, changes }: Storage, clock: Clock, logger: Logger): OnlyLogGuard {
  let isOnly = true
  let isKnown = true
  if (logMapAtStart) assertComplete(logMapAtStart, ownOf(logMapAtStart))

  const read = async () => {
    const map = await logMap.read()
    const own = map && ownOf(map)
    const wasOnly = isOnly
    isOnly = map === undefined || map.assignments.every(({ log }) => own!.has(log))
    isKnown = true
    if (wasOnly && !isOnly)
      logger.error('the event log was divided between several databases: set POSTERN_LOG_URLS and restart this process')
  }

  const failed = () => {
    isKnown = false
  }

  const { stop } = followLogMap({ changes, clock, logger, read, failed })
  return {
    assertOnly() {
      if (!isOnly)
        throw new Unavailable('The event log was divided between several databases, which this process does not know. Nothing was changed.')
      if (!isKnown) throw new DatabaseAway('It could not be read which event log has what. Nothing was changed; retry in a moment.')
    },
    stop,
  }
}
