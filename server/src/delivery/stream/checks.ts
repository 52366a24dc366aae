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
  const doubtful = new Set<string>()
  let isChecking = false
  let isStopped = false
  let isAllDoubtful = false
  let checkedMs = clock.elapsed()

  const check = async (appId: string) => {
    const connections = feeds.get(appId)?.connections
    if (!connections) return
    const hasSubscriptions = (await subscriptions.count(appId)) > 0
    for (const connection of connections) {
      // Its app or token may have gone, and the subscriptions with it.
      const reason = (await connection.check()) ?? (hasSubscriptions ? undefined : 'noSubscriptions')
      if (reason) end(connection, reason)
    }
  }

  const checkDoubtful = async () => {
    if (isChecking) return
    isChecking = true
    for (const appId of doubtful) {
      doubtful.delete(appId)
      if (isStopped) break
      await check(appId).catch((error) => {
        logUnlessUnavailable(logger, error, 'could not check connections to streams')
        clock.after(RETRY_DELAY_MS, () => doubt([appId]))
      })
    }
    isChecking = false
  }

  const doubt = (appIds: Iterable<string>) => {
    for (const appId of appIds) if (feeds.has(appId)) doubtful.add(appId)
    void checkDoubtful()
  }

  const changed = (change: Change) => {
    if (feeds.isEmpty()) return
    if (change.kind === 'app') doubt([change.id])
    if (change.kind === 'bearer-token' || change.kind === 'subscriptions') doubt([change.appId])
    if (change.kind === 'everything') doubt(feeds.appIds())
    // Subscriptions may have gone with them, of which app is not said.
    if (change.kind === 'user' || change.kind === 'webhook') isAllDoubtful = true
  }
  changes.listen(changed)

  return {
    /** The connections of these apps are checked soon. */
    doubt,
    /**
     * To be awaited before events are sent to an app. While this process does not hear of changes, its connections are checked first: a
     * revocation is answered without it then. Rejects if that cannot be done now.
     */
    async confirm(appId: string) {
      if (!changes.hearsAll()) await check(appId)
    },
    /** To be called every few seconds. */
    visited() {
      if (!isAllDoubtful && clock.elapsed() - checkedMs < CHECKED_EVERY_MS) return
      isAllDoubtful = false
      checkedMs = clock.elapsed()
      doubt(feeds.appIds())
    },
    stop() {
      isStopped = true
    },
  }
}
