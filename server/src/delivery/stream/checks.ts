import type { Logger } from 'pino'
import type { Clock } from '../../lib/clock.ts'
import { MINUTE_MS } from '../../lib/time.ts'
import type { Change, Changes } from '../../storage/changes.ts'
import type { SubscriptionStore } from '../../storage/subscriptions.ts'
import { logUnlessUnavailable } from '../../storage/unavailable.ts'
import { RETRY_DELAY_MS } from '../due-retries.ts'
import type { Connection, Disconnect } from './connection.ts'
import type { Feeds } from './feeds.ts'

/** All connections are checked so often: a token that was given for the former secret of its app ends without an announcement. */
const CHECKED_EVERY_MS = 5 * MINUTE_MS

export interface ChecksOptions {
  feeds: Pick<Feeds, 'get' | 'has' | 'appIds' | 'isEmpty'>
  subscriptions: Pick<SubscriptionStore, 'count'>
  changes: Changes
  clock: Clock
  logger: Logger
  end(connection: Connection, reason: Disconnect): void
}

/** Ends connections that may not be open any more: of a token, an app or subscriptions that have changed. */
export function createChecks({ feeds, subscriptions, changes, clock, logger, end }: ChecksOptions) {
  /** The apps whose connections are to be checked. */
  const due = new Set<string>()
  /** Those that get no event before: each with the number of its last doubt, for it may come anew during a check. */
  const doubts = new Map<string, number>()
  let doubted = 0
  let isChecking = false
  let isStopped = false
  let isAllDue = false
  let checkedMs = clock.elapsed()

  const checkOnce = async (appId: string) => {
    const connections = feeds.get(appId)?.connections
    if (!connections) return
    const hasSubscriptions = (await subscriptions.count(appId)) > 0
    for (const connection of connections) {
      // Its app or token may have gone, and the subscriptions with it.
      const reason = (await connection.check()) ?? (hasSubscriptions ? undefined : 'noSubscriptions')
      if (reason) end(connection, reason)
    }
  }

  /** Rejects if it cannot be done now; the doubt stays then, unless nobody is connected any more. */
  const check = async (appId: string) => {
    do {
      const doubt = doubts.get(appId)
      await checkOnce(appId)
      if (doubts.get(appId) === doubt) doubts.delete(appId)
    } while (doubts.has(appId))
  }

  const checkDue = async () => {
    if (isChecking) return
    isChecking = true
    for (const appId of due) {
      due.delete(appId)
      if (isStopped) break
      await check(appId).catch((error) => {
        logUnlessUnavailable(logger, error, 'could not check connections to streams')
        clock.after(RETRY_DELAY_MS, () => checkSoon([appId]))
      })
    }
    isChecking = false
  }

  const checkSoon = (appIds: readonly string[]) => {
    for (const appId of appIds) due.add(appId)
    void checkDue()
  }

  const doubt = (appIds: readonly string[]) => {
    const connected = appIds.filter(feeds.has)
    for (const appId of connected) doubts.set(appId, ++doubted)
    checkSoon(connected)
  }

  const changed = (change: Change) => {
    if (feeds.isEmpty()) return
    if (change.kind === 'app') doubt([change.id])
    if (change.kind === 'bearer-token' || change.kind === 'subscriptions') doubt([change.appId])
    if (change.kind === 'everything') doubt(feeds.appIds())
    // Subscriptions may have gone with them, of which app is not said.
    if (change.kind === 'user' || change.kind === 'webhook') isAllDue = true
  }
  changes.listen(changed)

  /** Whether a revocation may have been answered that is not acted on here: as long as this process does not hear of changes, too. */
  const isDoubtful = (appId: string) => doubts.has(appId) || !changes.hearsAll()

  return {
    /** The connections of these apps are checked soon, and before they get an event. */
    doubt,
    isDoubtful,
    /** To be awaited before events are sent to an app. Rejects if its connections are doubtful and cannot be checked now. */
    async confirm(appId: string) {
      if (isDoubtful(appId)) await check(appId)
    },
    /** To be called every few seconds. */
    visited() {
      if (!isAllDue && clock.elapsed() - checkedMs < CHECKED_EVERY_MS) return
      isAllDue = false
      checkedMs = clock.elapsed()
      checkSoon(feeds.appIds())
    },
    stop() {
      isStopped = true
    },
  }
}
