import type { Clock } from '../lib/clock.ts'
import { createSharedRead } from '../lib/shared-read.ts'
import { withTimeout } from '../lib/with-timeout.ts'
import type { DatabaseGauges } from '../metrics/database-gauges.ts'
import type { Storage } from '../storage/storage.ts'
import type { Fleet } from './fleet.ts'
import type { Base } from './parts.ts'
import { countByRole } from './watch-roles.ts'

/** Files and tables are measured at most so often. */
const SIZES_KEPT_MS = 60_000
/** The processes, the oldest transaction and the lag are asked for at most so often. */
const KEPT_MS = 10_000

/** How much room the database takes, for all who ask. */
export const createReadSizes = (storage: Pick<Storage, 'sizes'>, clock: Clock): Storage['sizes'] =>
  createSharedRead(clock, SIZES_KEPT_MS, () => storage.sizes())

const kept = <Value>(clock: Clock, read: () => Promise<Value>) => {
  const shared = createSharedRead(clock, KEPT_MS, read)
  return () => withTimeout(clock, shared())
}

/** What a scrape says of the database: four short statements at most, seldom, and what is counted in memory. */
export function createDatabaseState(
  { storage, clock, readSizes, severalLogs, connectionWaits = () => [] }: Base,
  { feedLagMs }: Pick<Fleet, 'feedLagMs'>,
): () => Promise<DatabaseGauges> {
  const processes = kept(clock, async () => {
    const living = new Set(await storage.livingWorkers())
    return countByRole((await storage.processes()).filter(({ worker }) => living.has(worker)))
  })
  const oldestTransaction = kept(clock, async () => storage.oldestTransactionMs?.())
  const lag = kept(clock, feedLagMs)
  return async () => {
    const asked = [processes(), withTimeout(clock, readSizes()), oldestTransaction(), lag()] as const
    const [living, sizes, oldestTransactionMs, lagMs] = await Promise.all(asked)
    const logs = severalLogs?.status().map(({ log, slots, awaySinceMs }) => ({ log, slots, isAway: awaySinceMs !== undefined })) ?? []
    return { processes: living, sizes, oldestTransactionMs, feedLagMs: lagMs, logs, waits: connectionWaits() }
  }
}
