import { SECOND_MS } from '../lib/time.ts'

/** A process that has not renewed its lease for this time is considered dead. */
export const LEASE_MS = 9 * SECOND_MS

/**
 * While a process holds work that another one would have to take over, it holds a lease, so that the others notice if it is frozen or cut
 * off. There is one lease for all of its work, which is counted in pieces.
 */
export interface WorkLease {
  /**
   * Call it before taking pieces of work. Returns undefined if the lease is recorded already; otherwise resolves once it is. If it rejects,
   * the work must not be taken, and the pieces are not counted.
   */
  begin(pieces?: number): Promise<void> | undefined
  /** Pieces of work are done, or belong to another process now. */
  end(pieces?: number): void
  /**
   * How far the clock of the database is ahead of this machine's, in milliseconds, as it was at the start, or when the lease was last renewed; 0 while they
   * agree within a second. What several processes wait for has the date of the database's.
   */
  aheadMs(): number
}

/** For a database that only one process uses. */
export const noLease: WorkLease = { begin: () => undefined, end() {}, aheadMs: () => 0 }

/** Wraps a lease and counts the pieces begun through the wrapper; `clear` ends them all. */
export function countPieces(lease: WorkLease): WorkLease & { clear(): void } {
  let pieces = 0
  return {
    begin(count = 1) {
      pieces += count
      return lease.begin(count)?.catch((error) => {
        pieces -= count
        throw error
      })
    },
    /** Pieces that end after a `clear` are ended already. */
    end(count = 1) {
      const ended = Math.min(count, pieces)
      pieces -= ended
      lease.end(ended)
    },
    aheadMs: lease.aheadMs,
    clear() {
      lease.end(pieces)
      pieces = 0
    },
  }
}
