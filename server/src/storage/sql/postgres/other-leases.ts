import type { Pool } from 'pg'
import type { Clock, Timer } from '../../../lib/clock.ts'
import { SECOND_MS } from '../../../lib/time.ts'
import type { Outage } from '../../outage.ts'
import type { StorageLog } from '../../storage-log.ts'
import { leaseStatements } from './lease-table.ts'

/**
 * How often the leases of others are looked at, while there are any. A lease that has expired at two looks is that of a dead process: one
 * look alone could come right after an outage of the database, before anybody could renew anything.
 */
const LOOK_EVERY_MS = 4 * SECOND_MS

export interface OtherLeasesOptions {
  pool: Pool
  clock: Clock
  outage: Outage
  log: StorageLog | undefined
  worker: number
  /** The lease of another process has expired: its work is there to be taken over. */
  expired(): void
}

interface OtherLease {
  worker: number
  until: string
  expired: boolean
}

interface ExpiredLease {
  worker: number
  /** When that was first seen, in elapsed time. */
  firstMs: number
  isDead: boolean
}

/** The leases that have expired, each by its worker and end; those that had at a look before, and long enough ago, are of the dead. */
function expiredAmong(rows: readonly OtherLease[], before: ReadonlyMap<string, ExpiredLease>, nowMs: number): Map<string, ExpiredLease> {
  const judge = ({ worker, until }: OtherLease): [string, ExpiredLease] => {
    const key = `${worker} ${until}`
    const firstMs = before.get(key)?.firstMs ?? nowMs
    return [key, { worker, firstMs, isDead: nowMs - firstMs >= LOOK_EVERY_MS }]
  }
  return new Map(rows.filter(({ expired }) => expired).map(judge))
}

/** Notices that another process no longer renews its lease, although its connections stand: it is frozen, or cut off. */
export function watchOtherLeases({ pool, clock, outage, log, worker, expired }: OtherLeasesOptions) {
  let isClosed = false
  let timer: Timer | undefined
  /** Leases that had expired at the last look. */
  let seen = new Map<string, ExpiredLease>()

  const lookLater = (ms: number) => {
    timer ??= isClosed ? undefined : clock.after(ms, look)
  }

  const lookOnce = async () => {
    const { rows } = await pool.query<OtherLease>(leaseStatements.others, [worker])
    const before = seen
    seen = expiredAmong(rows, before, clock.elapsed())
    const dead = [...seen].filter(([, { isDead }]) => isDead)
    if (rows.length > dead.length) lookLater(LOOK_EVERY_MS)
    const workers = dead.filter(([key]) => !before.get(key)?.isDead).map(([, { worker }]) => worker)
    if (workers.length === 0) return
    log?.warn({ workers }, 'worker leases expired: taking over their deliveries and replays')
    expired()
  }

  function look() {
    timer = undefined
    lookOnce().catch((error) => {
      outage.report(error)
      lookLater(LOOK_EVERY_MS)
    })
  }

  return {
    /** Another process holds a lease now, or may. */
    watch: () => lookLater(0),
    /** The lease of this worker has expired: it is dead, or frozen. */
    isDead: (other: number) => [...seen.values()].some((lease) => lease.isDead && lease.worker === other),
    close() {
      isClosed = true
      timer?.cancel()
    },
  }
}
