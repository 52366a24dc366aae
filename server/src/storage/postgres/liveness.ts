import type { Client } from 'pg'
import type { Clock } from '../../lib/clock.ts'
import type { Outage } from '../outage.ts'
import { destroyConnection } from './connection.ts'
import { queryInTurn } from './query-in-turn.ts'

/** A time on two clocks. The wall clock too, because the monotonic one stops while the machine is suspended. */
interface Moment {
  monotonicMs: number
  wallMs: number
}

/** Tracks when the server last responded on a connection, and probes it if that was long ago. */
export function createLiveness(clock: Clock, outage: Outage, current: () => Client) {
  let proof: Moment = { monotonicMs: 0, wallMs: 0 }
  let probing: Promise<void> | undefined

  const moment = (): Moment => ({ monotonicMs: clock.monotonic(), wallMs: clock.now() })
  const isOlderThan = (ms: number) => clock.monotonic() - proof.monotonicMs > ms || Math.abs(clock.now() - proof.wallMs) > ms

  const askAgain = async () => {
    const client = current()
    const begun = moment()
    try {
      await queryInTurn(client)('select 1')
      proof = begun
    } catch (error) {
      destroyConnection(client)
      outage.suspectConnections()
      throw error
    }
  }

  /** Concurrent calls share one probe. A connection that does not respond is destroyed. */
  const probe = () => {
    probing ??= askAgain().finally(() => {
      probing = undefined
    })
    return probing
  }

  return {
    moment,
    /** The server responded to a statement that was sent at this time. */
    heard: (begun: Moment) => {
      proof = begun
    },
    isOlderThan,
    /** Whether the server has responded to a statement that was sent at this time or later. */
    isProvenSince: (monotonicMs: number) => proof.monotonicMs >= monotonicMs,
    probe,
    probeIfOlderThan(ms: number) {
      if (!probing && isOlderThan(ms)) probe().catch(() => {})
    },
  }
}
