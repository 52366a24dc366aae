import type { Pool } from 'pg'
import type { Clock, Timer } from '../../../lib/clock.ts'
import { SECOND_MS } from '../../../lib/time.ts'
import type { Outage } from '../../outage.ts'
import type { StorageLog } from '../../storage-log.ts'
import type { WorkLease } from '../../work-lease.ts'

/** A process that has not renewed its lease for so long is taken for dead. */
const LEASE_MS = 9 * SECOND_MS
const RENEW_EVERY_MS = 3 * SECOND_MS
/**
 * How often the leases of others are looked at, while there are any. A lease that has expired at two looks is that of a dead process: one
 * look alone could come right after an outage of the database, before anybody could renew anything.
 */
const LOOK_EVERY_MS = 4 * SECOND_MS
const AGAIN_MS = SECOND_MS

const UNTIL = `clock_timestamp() + interval '${LEASE_MS} milliseconds'`
/** Also one that ends too far ahead: the clock of the server was set back. */
const EXPIRED = `until not between clock_timestamp() and ${UNTIL}`

const renewal = `insert into worker_leases as lease (worker, until) values ($1, ${UNTIL})
  on conflict (worker) do update set until = excluded.until`
const end = 'delete from worker_leases where worker = $1'
const others = `select worker, until::text, ${EXPIRED} as expired from worker_leases where worker <> $1`

interface LeaseOptions {
  pool: Pool
  clock: Clock
  outage: Outage
  log: StorageLog | undefined
  worker: number
  /** Throws while another process may have the number of this one, and so the lease. */
  assertHeld(): void
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

interface ExpiredLease {
  worker: number
  /** When that was first seen, in elapsed time. */
  firstMs: number
  isDead: boolean
}

const NEVER = { monotonicMs: Number.NEGATIVE_INFINITY, wallMs: 0 }

/** The leases that have expired, each by its worker and end; those that had at a look before, and long enough ago, are of the dead. */
function expiredAmong(rows: readonly OtherLease[], before: ReadonlyMap<string, ExpiredLease>, nowMs: number): Map<string, ExpiredLease> {
  const judge = ({ worker, until }: OtherLease): [string, ExpiredLease] => {
    const key = `${worker} ${until}`
    const firstMs = before.get(key)?.firstMs ?? nowMs
    return [key, { worker, firstMs, isDead: nowMs - firstMs >= LOOK_EVERY_MS }]
  }
  return new Map(rows.filter(({ expired }) => expired).map(judge))
}

export interface PostgresLease extends WorkLease {
  /** Gives up the lease of a dead process that had this one's number, and looks at those of others. */
  start(): Promise<void>
  /** Another process holds a lease now, or may. */
  watch(): void
  /** The lease of this worker has expired: it is dead, or frozen. */
  isDead(worker: number): boolean
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
export function createPostgresLease({ pool, clock, outage, log, worker, assertHeld, begun, expired }: LeaseOptions): PostgresLease {
  let pieces = 0
  let isClosed = false
  let renewed = NEVER
  let renewing: Promise<void> | undefined
  /** The last giving back: a renewal waits for it, or it would be undone. */
  let givenBack: Promise<unknown> = Promise.resolve()
  let renewTimer: Timer | undefined
  let lookTimer: Timer | undefined
  /** Leases that had expired at the last look. */
  let seen = new Map<string, ExpiredLease>()

  /** By the wall too, because a machine that was paused does not count on. */
  const isOnRecord = () => clock.monotonic() - renewed.monotonicMs < LEASE_MS / 2 && Math.abs(clock.now() - renewed.wallMs) < LEASE_MS / 2

  const later = (ms: number) => {
    renewTimer?.cancel()
    renewTimer = isClosed ? undefined : clock.after(ms, tick)
  }

  const record = async () => {
    assertHeld()
    const wasOnRecord = isOnRecord()
    const began = { monotonicMs: clock.monotonic(), wallMs: clock.now() }
    await pool.query(renewal, [worker])
    if (!wasOnRecord) await begun()
    renewed = began
    later(RENEW_EVERY_MS)
  }

  const renew = () => {
    renewing ??= givenBack.then(record).finally(() => {
      renewing = undefined
    })
    return renewing
  }

  const giveBack = () => {
    renewed = NEVER
    renewTimer = undefined
    assertHeld()
    const ended = pool.query(end, [worker])
    givenBack = ended.catch(() => {})
    return ended
  }

  function tick() {
    const step = async () => void (await (pieces > 0 ? renew() : giveBack()))
    step().catch((error) => {
      outage.tell(error)
      later(AGAIN_MS)
    })
  }

  const lookLater = (ms: number) => {
    lookTimer ??= isClosed ? undefined : clock.after(ms, look)
  }

  const lookOnce = async () => {
    const { rows } = await pool.query<OtherLease>(others, [worker])
    const before = seen
    seen = expiredAmong(rows, before, clock.elapsed())
    const dead = [...seen].filter(([, { isDead }]) => isDead)
    if (rows.length > dead.length) lookLater(LOOK_EVERY_MS)
    const workers = dead.filter(([key]) => !before.get(key)?.isDead).map(([, { worker }]) => worker)
    if (workers.length === 0) return
    log?.warn({ workers }, 'processes do not renew their lease: what they hold is taken over')
    expired()
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
      later(AGAIN_MS)
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
      const { rowCount } = await giveBack()
      if (rowCount !== 0) await begun()
      lookLater(0)
    },
    watch: () => lookLater(0),
    isDead: (other) => [...seen.values()].some((lease) => lease.isDead && lease.worker === other),
    async close() {
      isClosed = true
      renewTimer?.cancel()
      lookTimer?.cancel()
      await renewing?.catch(() => {})
      await Promise.resolve()
        .then(giveBack)
        .catch(() => {})
    },
  }
}
