import type { Logger } from 'pino'
import type { Clock } from '../lib/clock.ts'
import { monthOf } from '../lib/time.ts'
import type { AppUsage } from '../storage/apps.ts'
import { logUnlessUnavailable } from '../storage/unavailable.ts'

/** Counts one delivery for each app that is named, as often as it is. Never rejects. */
export type CountUsage = (appIds: readonly string[]) => Promise<void>

/** A count that cannot be written is logged and lost: what was accepted must not be answered as refused. */
export function createCountUsage(usage: AppUsage, clock: Clock, logger: Logger): CountUsage {
  return async (appIds) => {
    if (appIds.length === 0) return
    const byApp = new Map<string, number>()
    for (const appId of appIds) byApp.set(appId, (byApp.get(appId) ?? 0) + 1)
    await usage
      .add(byApp, monthOf(clock.now()))
      .catch((error) => logUnlessUnavailable(logger, error, 'could not count the deliveries of apps with a usage cap'))
  }
}
