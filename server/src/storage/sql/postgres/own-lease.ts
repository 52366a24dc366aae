import type { Pool } from 'pg'
import type { Clock, Timer } from '../../../lib/clock.ts'
import { SECOND_MS } from '../../../lib/time.ts'
import type { Outage } from '../../outage.ts'
import type { WorkLease } from '../../work-lease.ts'
import { LEASE_MS, leaseStatements, RENEW_EVERY_MS } from './lease-table.ts'

const RETRY_MS = SECOND_MS
const NEVER = { monotonicMs: Number.NEGATIVE_INFINITY, wallMs: 0 }

export interface OwnLeaseOptions {
  pool: Pool
  clock: Clock
  outage: Outage
  worker: number
  /** Throws while another process may have the number of this one, and so the lease. */
  assertHeld(): void
  /** This process begins to hold a lease: others have to look at it from now on. */
  begun(): Promise<unknown>
}

interface OwnLease extends WorkLease {
  /** Gives the lease back; false when there was none. */
  giveBack(): Promise<boolean>
  close(): Promise<void>
}

/**
 * The lease of this process, for as long as it works.
 *
 *   idle → working: `begin`, which resolves once the lease is on record and the others were told.
 *   working → working: renewed every few seconds.
 *   working → idle: at the next renewal after the last `end`: the lease is given back, and nothing is asked any more.
 */
export function createOwnLease({ pool, clock, outage, worker, assertHeld, begun }: OwnLeaseOptions): OwnLease {
  let pieces = 0
  let isClosed = false
  let renewed = NEVER
  let renewing: Promise<void> | undefined
  /** The last giving back: a renewal waits for it, or it would be undone. */
  let givenBack: Promise<unknown> = Promise.resolve()
  let timer: Timer | undefined

  /** By the wall too, because a machine that was paused does not count on. */
  const isOnRecord = () => clock.monotonic() - renewed.monotonicMs < LEASE_MS / 2 && Math.abs(clock.now() - renewed.wallMs) < LEASE_MS / 2

  const later = (ms: number) => {
    timer?.cancel()
    timer = isClosed ? undefined : clock.after(ms, tick)
  }

  const record = async () => {
    assertHeld()
    const wasOnRecord = isOnRecord()
    const began = { monotonicMs: clock.monotonic(), wallMs: clock.now() }
    await pool.query(leaseStatements.renew, [worker])
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
    return (await ended).rowCount !== 0
  }

  function tick() {
    const step = async () => void (await (pieces > 0 ? renew() : giveBack()))
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
    giveBack,
    async close() {
      isClosed = true
      timer?.cancel()
      await renewing?.catch(() => {})
      await giveBack().catch(() => {})
    },
  }
}
