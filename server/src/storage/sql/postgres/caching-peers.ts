import { realTimer } from '../../../lib/clock.ts'
import { SECOND_MS } from '../../../lib/time.ts'
import type { PendingChange } from '../announcer.ts'

/** A process believes its caches for this time from the sending of the last answered heartbeat. */
export const TRUST_MS = SECOND_MS

/** By then the trust of every process has run out: a tenth longer, because the clocks of two machines run at different rates. */
export const DISTRUST_AFTER_MS = 1.1 * TRUST_MS

interface Wait {
  /** The registrations that have not acknowledged the change; undefined until this process has received its own message. */
  missing: Set<string> | undefined
  end(): void
}

/** The other processes that may believe their caches, by their registrations, and this process's changes that they have to acknowledge. */
export interface CachingPeers {
  /** Begins a change. */
  begin(): PendingChange & { number: number }
  /** Messages arrive in the order of their commits: every registration before that of this change is known now. */
  heardOwn(number: number): void
  heardAcknowledged(by: string, numbers: readonly number[]): void
  add(peers: readonly string[]): void
  /** These believe nothing from now on. */
  remove(peers: readonly string[]): void
  /** The connection was lost: registrations and acknowledgements may be missed, until `complete`. */
  reset(): void
  /** All registrations are added. */
  complete(): void
}

/** `unanswered` is called with the peers that have not acknowledged a change in time. */
export function createCachingPeers(unanswered: (peers: readonly string[]) => void): CachingPeers {
  const peers = new Set<string>()
  const waits = new Map<number, Wait>()
  let isComplete = false
  let last = 0

  const endIfAcknowledged = (wait: Wait) => {
    if (wait.missing?.size === 0) wait.end()
  }

  const acknowledgedBy = (peer: string, some: Iterable<Wait | undefined>) => {
    for (const wait of some) if (wait?.missing?.delete(peer)) endIfAcknowledged(wait)
  }

  return {
    begin() {
      const number = ++last
      const { promise, resolve } = Promise.withResolvers<void>()
      const cancel = () => void waits.delete(number)
      const wait: Wait = {
        missing: undefined,
        end() {
          cancel()
          resolve()
        },
      }
      waits.set(number, wait)
      return {
        number,
        cancel,
        async acknowledged() {
          const timer = realTimer(DISTRUST_AFTER_MS, () => {
            wait.end()
            if (wait.missing) unanswered([...wait.missing])
          })
          await promise
          timer.cancel()
        },
      }
    },
    heardOwn(number) {
      const wait = waits.get(number)
      if (!wait || !isComplete) return
      wait.missing = new Set(peers)
      endIfAcknowledged(wait)
    },
    heardAcknowledged: (by, numbers) =>
      acknowledgedBy(
        by,
        numbers.map((number) => waits.get(number)),
      ),
    add: (some) => some.forEach((peer) => void peers.add(peer)),
    remove(some) {
      for (const peer of some) {
        peers.delete(peer)
        acknowledgedBy(peer, [...waits.values()])
      }
    },
    reset() {
      isComplete = false
      peers.clear()
      for (const wait of waits.values()) wait.missing = undefined
    },
    complete() {
      isComplete = true
    },
  }
}
