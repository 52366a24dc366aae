import type { Logger } from 'pino'
import { assertComplete, type LogMap } from './log-map.ts'
import type { Storage } from './storage.ts'
import { logUnlessUnavailable, Unavailable } from './unavailable.ts'

/** The numbers that the log in the database of the state has: one, or none before several were named. */
const ownOf = ({ logs }: LogMap) => new Set(logs.filter(({ isOfState }) => isOfState).map(({ log }) => log))

/**
 * For a process that knows the event log in the database of the state alone. Throws if others have a part of the events. If they are given one
 * while the process runs, `assertOnly` throws from then on: nothing is appended where nobody would look for it.
 */
export function guardOnlyLog({ logMap, logMapAtStart, changes }: Storage, logger: Logger) {
  let isOnly = true
  if (logMapAtStart) assertComplete(logMapAtStart, ownOf(logMapAtStart))

  const look = async () => {
    const map = await logMap.read()
    const own = map && ownOf(map)
    const wasOnly = isOnly
    isOnly = map === undefined || map.assignments.every(({ log }) => own!.has(log))
    if (wasOnly && !isOnly)
      logger.error('the event log was divided between several databases: set POSTERN_LOG_URLS and restart this process')
  }

  changes.listen(({ kind }) => {
    if (kind === 'logs' || kind === 'everything')
      look().catch((error) => logUnlessUnavailable(logger, error, 'could not read which event log has what'))
  })
  return {
    assertOnly() {
      if (isOnly) return
      throw new Unavailable('The event log was divided between several databases, which this process does not know. Nothing was changed.')
    },
  }
}
