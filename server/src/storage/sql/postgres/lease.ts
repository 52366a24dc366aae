import type { Pool } from 'pg'
import type { Clock, Timer } from '../../../lib/clock.ts'
import { SECOND_MS } from '../../../lib/time.ts'
import type { Outage } from '../../outage.ts'
import type { StorageLog } from '../../storage-log.ts'
import type { WorkLease } from '../../work-lease.ts'
import { leaseStatements } from './lease-table.ts'
import { createOwnLease, type OwnLease, type OwnLeaseOptions } from './own-lease.ts'

/**
 * How often the leases of others are checked, while there are any. The holder is dead if the lease has expired at two checks: a single one
 * could be right after an outage of the database, before any process could renew its lease.
 */
const CHECK_EVERY_MS = 4 * SECOND_MS

interface OtherLeasesOptions {
  pool: Pool
  clock: Clock
  outage: Outage
  log: StorageLog | undefined
  worker: number
  /** Called when the lease of another process has expired: its work can be taken over. */
  expired(): void
  /** Called when another process has given its lease back. */
  ended(): void
}

interface OtherLease {
  worker: number
  until: string
  expired: boolean
}

interface ExpiredLease {
  worker: number
  /** When it was first seen as expired, in elapsed time. */
  firstMs: number
  isDead: boolean
}

/** The expired leases by worker and end. Those that were seen as expired at an earlier check, long enough ago, are of dead processes. */
function expiredAmong(rows: readonly OtherLease[], before: ReadonlyMap<string, ExpiredLease>, nowMs: number): Map<string, ExpiredLease> {
  const expiredLease = ({ worker, until }: OtherLease): [string, ExpiredLease] => {
    const key = `${worker} ${until}`
    const firstMs = before.get(key)?.firstMs ?? nowMs
    return [key, { worker, firstMs, isDead: nowMs - firstMs >= CHECK_EVERY_MS }]
  }
  return new Map(rows.filter(({ expired }) => expired).map(expiredLease))
}

/** Notices that another process no longer renews its lease although its connections are open: it is frozen or cut off. */
function watchOtherLeases({ pool, clock, outage, log, worker, expired, ended }: OtherLeasesOptions) {
  let isClosed = false
  let timer: Timer | undefined
  /** Leases that had expired at the last check. */
  let seen = new Map<string, ExpiredLease>()
  /** The processes that had a lease at the last check, or have said since that they begin one. */
  let holders = new Set<number>()

  const checkLater = (ms: number) => {
    timer ??= isClosed ? undefined : clock.after(ms, check, { isUpkeep: true })
  }

  /** Who had a lease before, or began one, and is not found has given it back. */
  const look = async (): Promise<OtherLease[]> => {
    const before = holders
    holders = new Set()
    try {
      const { rows } = await pool.query<OtherLease>(leaseStatements.others, [worker])
      const found = new Set(rows.map((row) => row.worker))
      holders = holders.union(found)
      if (!before.isSubsetOf(found)) ended()
      return rows
    } catch (error) {
      holders = holders.union(before)
      throw error
    }
  }

  const checkOnce = async () => {
    const rows = await look()
    const before = seen
    seen = expiredAmong(rows, before, clock.elapsed())
    const dead = [...seen].filter(([, { isDead }]) => isDead)
    if (rows.length > dead.length) checkLater(CHECK_EVERY_MS)
    const workers = dead.filter(([key]) => !before.get(key)?.isDead).map(([, { worker }]) => worker)
    if (workers.length === 0) return
    log?.warn({ workers }, 'worker leases expired: their deliveries and replays are free for other processes')
    expired()
  }

  function check() {
    timer = undefined
    checkOnce().catch((error) => {
      outage.report(error)
      checkLater(CHECK_EVERY_MS)
    })
  }

  return {
    /** Called when other processes may hold a lease now: one that has begun its lease, or any. */
    watch(begun?: number) {
      if (begun !== undefined) holders.add(begun)
      checkLater(0)
    },
    /** Whether the lease of this worker has expired: it is dead or frozen. */
    isDead: (other: number) => [...seen.values()].some((lease) => lease.isDead && lease.worker === other),
    close() {
      isClosed = true
      timer?.cancel()
    },
  }
}

export interface Lease extends WorkLease, Pick<OwnLease, 'told'> {
  /** Checks the leases of others if there are any, and tells them if that of a dead process with this one's number was released. */
  start(released: boolean, others: number): Promise<void>
  /** Called when other processes may hold a lease now: one that has begun its lease, or any. */
  watch(begun?: number): void
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
    aheadMs: own.aheadMs,
    told: own.told,
    async start(released, count) {
      if (released) await options.begun()
      if (count > 0) others.watch()
    },
    watch: others.watch,
    isDead: others.isDead,
    async close() {
      others.close()
      await own.close()
    },
  }
}
