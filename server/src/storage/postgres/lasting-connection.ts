import { Client } from 'pg'
import type { Clock, Timer } from '../../lib/clock.ts'
import { SECOND_MS } from '../../lib/time.ts'
import type { Outage } from '../outage.ts'
import { connectionConfig, destroyConnection, endConnection } from './connection.ts'

/** How long a lost connection waits before it connects again, and again. */
export const RECONNECT_DELAY_MS = SECOND_MS
/** A connection that works for others has been heard of within this. */
const PROBE_EVERY_MS = 5 * SECOND_MS
/** Of a connection that was not heard of for so long nothing is known. */
const STALE_MS = 15 * SECOND_MS
const ANSWER_MS = 5 * SECOND_MS

interface LastingOptions {
  url: string
  /** What the server shows the connection as. */
  name: string
  clock: Clock
  outage: Outage
  /** Makes a new connection ready; it counts as connected after that. One that this rejects for is tried again. */
  prepare(client: Client): Promise<unknown>
  /** Connected again: messages may have been missed. */
  restored(): void
  /** Gets the payload of each notification. */
  notified(payload: string | undefined): void
}

export interface LastingConnection {
  isConnected(): boolean
  /** Something was asked of the database: asks over this connection too, if it was not heard of lately. Costs nothing otherwise. */
  touch(): void
  /** Resolves once it is known that the server heard this connection lately; rejects when it is lost. Nothing to wait for: undefined. */
  proven(): Promise<void> | undefined
  /** `goodbye` is said before the end. */
  close(goodbye?: (client: Client) => Promise<unknown>): Promise<void>
}

/**
 * A connection to PostgreSQL that lasts: it hears notifications, and holds what a session holds. It is probed while there is traffic,
 * for a connection may be dead without a word; an idle process asks nothing.
 *
 *   connected → lost: it ended, or did not answer a probe.
 *   lost → connected: after a delay it connected and was made ready; then `restored`.
 *   any → closed, for good.
 */
export async function openLastingConnection(options: LastingOptions): Promise<LastingConnection> {
  const { url, name, clock, outage, prepare, restored, notified } = options
  let state: 'connected' | 'lost' | 'closed' = 'lost'
  let current: Client
  let retry: Timer | undefined
  let probing: Promise<void> | undefined
  /** When the server was last known to hear it; by the wall too, because a machine that was paused does not count on. */
  let proof = { monotonicMs: 0, wallMs: 0 }

  const moment = () => ({ monotonicMs: clock.monotonic(), wallMs: clock.now() })
  const isOlderThan = (ms: number) => clock.monotonic() - proof.monotonicMs > ms || Math.abs(clock.now() - proof.wallMs) > ms

  const connect = async () => {
    const client = new Client(connectionConfig(url, name, ANSWER_MS))
    current = client
    client.on('error', (error) => outage.tell(error))
    try {
      const begun = moment()
      await client.connect()
      client.on('notification', ({ payload }) => notified(payload))
      await prepare(client)
      if (state === 'closed') throw new Error('closed meanwhile')
      client.once('end', lose)
      state = 'connected'
      proof = begun
    } catch (error) {
      client.end().catch(() => {})
      destroyConnection(client)
      throw error
    }
  }

  const reconnect = async () => {
    try {
      await connect()
      restored()
    } catch (error) {
      if (state === 'closed') return
      outage.tell(error)
      lose()
    }
  }

  function lose() {
    if (state === 'closed') return
    state = 'lost'
    retry = clock.after(RECONNECT_DELAY_MS, () => void reconnect())
  }

  const askAgain = async () => {
    const client = current
    const begun = moment()
    try {
      await client.query('select 1')
      proof = begun
    } catch (error) {
      destroyConnection(client)
      outage.suspect()
      throw error
    }
  }

  const probe = () => {
    probing ??= askAgain().finally(() => {
      probing = undefined
    })
    return probing
  }

  const probeIfOlderThan = (ms: number) => {
    if (state === 'connected' && !probing && isOlderThan(ms)) probe().catch(() => {})
  }

  await connect()
  outage.onSuspect(() => probeIfOlderThan(SECOND_MS))
  return {
    isConnected: () => state === 'connected',
    touch: () => probeIfOlderThan(PROBE_EVERY_MS),
    proven: () => (isOlderThan(STALE_MS) ? probe() : undefined),
    async close(goodbye) {
      state = 'closed'
      retry?.cancel()
      await goodbye?.(current).catch(() => {})
      await endConnection(current, clock)
    },
  }
}
