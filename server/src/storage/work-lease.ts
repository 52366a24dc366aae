/**
 * While a process holds pieces of work that another would have to take over, it holds a lease, so that the others notice when it is
 * frozen or cut off. One lease for all of its work.
 */
export interface WorkLease {
  /**
   * To be called before pieces of work become this process's. Undefined when the lease is on record already; otherwise resolves once it
   * is, and rejects when it cannot be had: then nothing may become this process's, and the pieces do not count.
   */
  begin(pieces?: number): Promise<void> | undefined
  /** Pieces of work are done, or somebody else's. */
  end(pieces?: number): void
}

/** Of the one process of a database. */
export const noLease: WorkLease = { begin: () => undefined, end() {} }

/** The same lease, and how many of its pieces were begun here: `clear` ends them all. */
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
    /** What ends after `clear` was ended by that. */
    end(count = 1) {
      const ended = Math.min(count, pieces)
      pieces -= ended
      lease.end(ended)
    },
    clear() {
      lease.end(pieces)
      pieces = 0
    },
  }
}
