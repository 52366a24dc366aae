import type { Pool } from 'pg'
import type { Clock, Timer } from '../../lib/clock.ts'
import { SECOND_MS } from '../../lib/duration.ts'
import type { Outage } from '../outage.ts'
import type { StorageLog } from '../storage-log.ts'
import type { WorkLease } from '../work-lease.ts'

/** A process that has not renewed its lease for so long is taken for dead. */
const LEASE_MS = 12 * SECOND_MS
const RENEW_EVERY_MS = 4 * SECOND_MS
/** How often the leases of others are looked at, while there are any. Within this and `LEASE_MS` somebody takes over. */
const LOOK_EVERY_MS = 5 * SECOND_MS
const AGAIN_MS = SECOND_MS

const UNTIL = `clock_timestamp() + interval '${LEASE_MS} milliseconds'`
/** Also one that ends too far ahead: the clock of the server was set back. */
const EXPIRED = `until not between clock_timestamp() and ${UNTIL}`

const renewal = `insert into worker_leases as lease (worker, until) values ($1, ${UNTIL})
  on conflict (worker) do update set until = excluded.until`
const end = 'delete from worker_leases where worker = $1'
const others = `select worker, until::text, ${EXPIRED} as expired from worker_leases where worker <> $1`

/** Of the workers in the first column of `workers`, those that no lease says are dead or frozen. */
export const withoutExpired = (workers: string) =>
  `select * from (${workers}) as held where not exists (select 1 from worker_leases where worker_leases.worker = held.worker and ${EXPIRED})`

interface LeaseOptions {
  pool: Pool
  clock: Clock
  outage: Outage
  log: StorageLog | undefined
  worker: number
  /** This process begins to hold a lease: others have to look at it from now on. */
  begun(): Promise<unknown>
  /** The lease of another process has expired: what it works on is there to be taken. */
  expired(): void
}

interface OtherLease {
  worker: number
  until: string
  expired: boolean
}

export interface PostgresLease extends WorkLease {
  /** Gives up the lease of a dead process that had this one's number, and looks at those of others. */
  start(): Promise<void>
  /** Another process holds a lease now, or may. */
  watch(): void
  close(): Promise<void>
}

/**
 * Says that this process works, for as long as it does; and notices that another one that said so works no longer, although its
 * connections stand: it is frozen, or cut off.
 *
 *   idle → working: `begin`, which resolves once the lease is on record and the others were told.
 *   working → working: renewed every few seconds.
 *   working → idle: at the next renewal after the last `end`: the lease is given back, and nothing is asked any more.
 *
 * Others look every few seconds while anybody works. A lease that has expired stays where it is, for all to see, until its holder renews
 * it or its number is taken by a new process.
 */
export function createPostgresLease({ pool, clock, outage, log, worker, begun, expired }: LeaseOptions): PostgresLease {
  let pieces = 0
  let isClosed = false
  let renewedMs = Number.NEGATIVE_INFINITY
  let renewing: Promise<void> | undefined
  /** The last giving back: a renewal waits for it, or it would be undone. */
  let givenBack: Promise<unknown> = Promise.resolve()
  let renewTimer: Timer | undefined
  let lookTimer: Timer | undefined
  /** Expired leases that were told of. */
  let told = new Set<string>()

  const isOnRecord = () => clock.monotonic() - renewedMs < LEASE_MS / 2

  const later = (ms: number) => {
    renewTimer?.cancel()
    renewTimer = isClosed ? undefined : clock.after(ms, tick)
  }

  const record = async () => {
    const wasOnRecord = isOnRecord()
    const beganMs = clock.monotonic()
    await pool.query(renewal, [worker])
    renewedMs = beganMs
    if (!wasOnRecord) await begun()
    later(RENEW_EVERY_MS)
  }

  const renew = () => {
    renewing ??= givenBack.then(record).finally(() => {
      renewing = undefined
    })
    return renewing
  }

  const giveBack = () => {
    renewedMs = Number.NEGATIVE_INFINITY
    renewTimer = undefined
    const ended = pool.query(end, [worker])
    givenBack = ended.catch(() => {})
    return ended
  }

  function tick() {
    const step: Promise<unknown> = pieces > 0 ? renew() : giveBack()
    step.catch((error) => {
      outage.tell(error)
      later(AGAIN_MS)
    })
  }

  const lookLater = (ms: number) => {
    lookTimer ??= isClosed ? undefined : clock.after(ms, look)
  }

  const lookOnce = async () => {
    const { rows } = await pool.query<OtherLease>(others, [worker])
    const keyOf = ({ worker, until }: OtherLease) => `${worker} ${until}`
    const dead = rows.filter((lease) => lease.expired)
    const isNews = dead.some((lease) => !told.has(keyOf(lease)))
    told = new Set(dead.map(keyOf))
    if (isNews) {
      log?.warn({ workers: dead.map((lease) => lease.worker) }, 'processes do not renew their lease: what they hold is taken over')
      expired()
    }
    if (rows.length > dead.length) lookLater(LOOK_EVERY_MS)
  }

  function look() {
    lookTimer = undefined
    lookOnce().catch((error) => {
      outage.tell(error)
      lookLater(LOOK_EVERY_MS)
    })
  }

  const start = async (count: number) => {
    try {
      await renew()
    } catch (error) {
      pieces -= count
      throw error
    }
  }

  return {
    begin(count = 1) {
      pieces += count
      return isOnRecord() ? undefined : start(count)
    },
    end(count = 1) {
      pieces -= count
    },
    async start() {
      await giveBack()
      lookLater(0)
    },
    watch: () => lookLater(0),
    async close() {
      isClosed = true
      renewTimer?.cancel()
      lookTimer?.cancel()
      await renewing?.catch(() => {})
      await pool.query(end, [worker]).catch(() => {})
    },
  }
}
