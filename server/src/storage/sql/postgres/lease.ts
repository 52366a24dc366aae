import type { WorkLease } from '../../work-lease.ts'
import { type OtherLeasesOptions, watchOtherLeases } from './other-leases.ts'
import { createOwnLease, type OwnLeaseOptions } from './own-lease.ts'

export interface Lease extends WorkLease {
  /** Releases the lease of a dead process that had this one's number, and checks those of others. */
  start(): Promise<void>
  /** Called when another process may hold a lease now. */
  watch(): void
  /** Whether the lease of this worker has expired: it is dead or frozen. */
  isDead(worker: number): boolean
  close(): Promise<void>
}

/**
 * Holds a lease while this process has work, and notices when another process no longer renews its lease. Leases are checked every few
 * seconds while there are any. An expired lease stays in the table until its holder renews it or a new process takes its number.
 */
export function createLease(options: OwnLeaseOptions & OtherLeasesOptions): Lease {
  const own = createOwnLease(options)
  const others = watchOtherLeases(options)
  return {
    begin: own.begin,
    end: own.end,
    async start() {
      if (await own.giveBack()) await options.begun()
      others.watch()
    },
    watch: others.watch,
    isDead: others.isDead,
    async close() {
      others.close()
      await own.close()
    },
  }
}
