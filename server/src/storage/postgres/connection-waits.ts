import type { Pool } from 'pg'
import type { Clock } from '../../lib/clock.ts'
import type { PoolWaits } from '../sizes.ts'

/** Counts the waits for connections of all pools of a process. */
export interface ConnectionWaits {
  watch(name: string, pool: Pool): void
  read(): PoolWaits[]
}

type Done = Parameters<Pool['connect']>[0]

/** A call of `connect` that need not wait costs one comparison more. The library itself tells of no wait. */
export function createConnectionWaits(clock: Pick<Clock, 'monotonic'>): ConnectionWaits {
  const readers: (() => PoolWaits)[] = []
  return {
    watch(name, pool) {
      let waits = 0
      let waitedMs = 0
      const connect = pool.connect.bind(pool)
      const mustWait = () => pool.totalCount >= pool.options.max && pool.waitingCount >= pool.idleCount
      const begin = () => {
        const beganMs = clock.monotonic()
        waits += 1
        return () => {
          waitedMs += clock.monotonic() - beganMs
        }
      }
      pool.connect = ((done?: Done) => {
        if (!mustWait()) return done ? connect(done) : connect()
        const ended = begin()
        if (!done) return connect().finally(ended)
        return connect((...result) => {
          ended()
          done(...result)
        })
      }) as Pool['connect']
      readers.push(() => ({ pool: name, waiting: pool.waitingCount, waits, waitedMs }))
    },
    read: () => readers.map((read) => read()),
  }
}
