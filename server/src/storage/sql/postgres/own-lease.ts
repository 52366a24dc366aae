import type { Pool } from 'pg'
import type { Clock, Timer } from '../../../lib/clock.ts'
import { SECOND_MS } from '../../../lib/time.ts'
import type { Outage } from '../../outage.ts'
import type { StorageLog } from '../../storage-log.ts'
import { LEASE_MS, type WorkLease } from '../../work-lease.ts'
import { leaseStatements, RENEW_EVERY_MS } from './lease-table.ts'

const RETRY_MS = SECOND_MS
/** Less of a difference between two clocks is none: neither is read at once, and NTP lets them differ. */
const AGREE_MS = SECOND_MS
const NEVER = { monotonicMs: Number.NEGATIVE_INFINITY, wallMs: 0 }

export interface OwnLeaseOptions {
  pool: Pool
  clock: Clock
  outage: Outage
  log: StorageLog | undefined
  worker: number
  /** Throws while another process may have this one's number, and so its lease. */
  assertHeld(): void
  /** Called when this process begins to hold a lease: others must check it from now on. */
  begun(): Promise<unknown>
}

export interface OwnLease extends WorkLease {
  /** The database, asked at `askedMs` of the monotonic clock, has told its time. */
  told(databaseMs: number, askedMs: number): void
  close(): Promise<void>
}

/** How far the clock of the database is ahead of this machine's, whatever an operator of development did to that of the process. */
function createComparison(clock: Clock, log: StorageLog | undefined) {
  let aheadMs = 0
  return {
    aheadMs: () => aheadMs,
    told(databaseMs: number, askedMs: number) {
      const tookMs = clock.monotonic() - askedMs
      const difference = Math.round(databaseMs + tookMs / 2 - (clock.now() - clock.offset()))
      /** A slow answer may be from its beginning or its end. */
      const isNear = (ms: number) => Math.abs(difference - ms) < AGREE_MS + tookMs
      if (isNear(aheadMs)) return
      const found = isNear(0) ? 0 : difference
      aheadMs = found
      const seconds = Math.round(found / SECOND_MS)
      if (found === 0) log?.info({}, 'the clock of this machine agrees with that of the database again')
      else
        log?.warn(
          { behind_seconds: seconds },
          'the clock of this machine differs from that of the database, which retries follow: set it right, signatures are checked against it',
        )
    },
  }
}

/**
 * The lease of this process, while it has work.
 *
 *   idle → working: `begin`, which resolves once the lease is recorded and the others are notified.
 *   working → working: renewed every few seconds.
 *   working → idle: at the next renewal after the last `end`, which releases the lease. No query runs after that.
 */
export function createOwnLease({ pool, clock, outage, log, worker, assertHeld, begun }: OwnLeaseOptions): OwnLease {
  let pieces = 0
  let isClosed = false
  let renewed = NEVER
  const comparison = createComparison(clock, log)
  /** From the begin of a renewal to the answer to a release. */
  let mayBeOnRecord = false
  let renewing: Promise<void> | undefined
  /** The last release. A renewal waits for it; otherwise the release could undo the renewal. */
  let givenBack: Promise<unknown> = Promise.resolve()
  let timer: Timer | undefined

  /** Also by the wall clock, because the monotonic clock stops while the machine is suspended. */
  const isOnRecord = () => clock.monotonic() - renewed.monotonicMs < LEASE_MS / 2 && Math.abs(clock.now() - renewed.wallMs) < LEASE_MS / 2

  const later = (ms: number) => {
    timer?.cancel()
    timer = isClosed ? undefined : clock.after(ms, tick, { isUpkeep: true })
  }

  const record = async () => {
    assertHeld()
    const wasOnRecord = isOnRecord()
    const began = { monotonicMs: clock.monotonic(), wallMs: clock.now() }
    mayBeOnRecord = true
    const { rows } = await pool.query<{ now_ms: string }>(leaseStatements.renew, [worker])
    comparison.told(Number(rows[0]!.now_ms), began.monotonicMs)
    if (!wasOnRecord) await begun()
    renewed = began
    later(RENEW_EVERY_MS)
  }

  const renew = () => {
    renewing ??= givenBack.then(record).finally(() => (renewing = undefined))
    return renewing
  }

  const giveBack = async () => {
    renewed = NEVER
    timer = undefined
    assertHeld()
    const ended = pool.query(leaseStatements.end, [worker])
    givenBack = ended.catch(() => {})
    await ended
    mayBeOnRecord = false
  }

  function tick() {
    const step = async () => (pieces > 0 ? renew() : giveBack())
    step().catch((error) => {
      outage.report(error)
      later(RETRY_MS)
    })
  }

  const start = async (count: number) => {
    try {
      await renew()
    } catch (error) {
      pieces -= count
      later(RETRY_MS)
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
    ...comparison,
    async close() {
      isClosed = true
      timer?.cancel()
      await renewing?.catch(() => {})
      if (mayBeOnRecord) await giveBack().catch(() => {})
    },
  }
}
