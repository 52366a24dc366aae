import type { WorkLease } from '../../work-lease.ts'
import { type OtherLeasesOptions, watchOtherLeases } from './other-leases.ts'
import { createOwnLease, type OwnLeaseOptions } from './own-lease.ts'

export interface Lease extends WorkLease {
  /** Gives up the lease of a dead process that had this one's number, and looks at those of others. */
  start(): Promise<void>
  /** Another process holds a lease now, or may. */
  watch(): void
  /** The lease of this worker has expired: it is dead, or frozen. */
  isDead(worker: number): boolean
  close(): Promise<void>
}

/**
 * Says that this process works, for as long as it does; and notices that another one that said so works no longer. Others look every few
 * seconds while anybody works. A lease that has expired stays where it is, for all to see, until its holder renews it or its number is
 * taken by a new process.
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
