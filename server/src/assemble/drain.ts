import { createClock } from '../lib/clock.ts'
import { SECOND_MS } from '../lib/time.ts'

/** The last part of a drain: balancers have moved on by then. */
const LAST_PART_MS = SECOND_MS

/** What a drain needs of the hosts. */
interface DrainedHosts {
  isOpen(): boolean
  /** From here on they serve, and say that they are not ready. */
  drain(): void
  /** From here on each answer is the last of its connection. */
  endConnections(): void
}

export interface Drain {
  /**
   * Serves on while health checks say that the process is stopping; at the end `endStreams` tells clients to connect elsewhere. Resolves once
   * the listeners may close: at once if nothing is served.
   */
  drain(): Promise<void>
  /** Ends the drain early. */
  endDrain(): void
}

/** The time between the signal to stop and the end of the listeners, for balancers to notice. */
export function createDrain(drainMs: number, hosts: DrainedHosts, endStreams: () => Promise<unknown>): Drain {
  const clock = createClock()
  const ended = Promise.withResolvers<void>()

  const wait = async (ms: number) => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = clock.after(ms, resolve)
    await Promise.race([promise, ended.promise])
    timer.cancel()
  }

  return {
    async drain() {
      if (drainMs === 0 || !hosts.isOpen()) return
      const lastMs = Math.min(LAST_PART_MS, drainMs / 2)
      hosts.drain()
      await wait(drainMs - lastMs)
      hosts.endConnections()
      await Promise.all([endStreams(), wait(lastMs)])
    },
    endDrain: ended.resolve,
  }
}
