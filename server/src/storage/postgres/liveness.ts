import type { Client } from 'pg'
import type { Clock } from '../../lib/clock.ts'
import type { Outage } from '../outage.ts'
import { destroyConnection } from './connection.ts'

/** A moment on two clocks: by the wall too, because a machine that was paused does not count on. */
interface Moment {
  monotonicMs: number
  wallMs: number
}

/** Knows when the server was last known to hear a connection, and asks it again when that was long ago. */
export function createLiveness(clock: Clock, outage: Outage, current: () => Client) {
  let proof: Moment = { monotonicMs: 0, wallMs: 0 }
  let probing: Promise<void> | undefined

  const moment = (): Moment => ({ monotonicMs: clock.monotonic(), wallMs: clock.now() })
  const isOlderThan = (ms: number) => clock.monotonic() - proof.monotonicMs > ms || Math.abs(clock.now() - proof.wallMs) > ms

  const askAgain = async () => {
    const client = current()
    const begun = moment()
    try {
      await client.query('select 1')
      proof = begun
    } catch (error) {
      destroyConnection(client)
      outage.suspectConnections()
      throw error
    }
  }

  /** Those that ask at the same time share one question. A connection that does not answer is destroyed. */
  const probe = () => {
    probing ??= askAgain().finally(() => {
      probing = undefined
    })
    return probing
  }

  return {
    moment,
    /** The server answered what was asked at that moment. */
    heard: (begun: Moment) => {
      proof = begun
    },
    isOlderThan,
    probe,
    probeIfOlderThan(ms: number) {
      if (!probing && isOlderThan(ms)) probe().catch(() => {})
    },
  }
}
