import { Client } from 'pg'
import type { Clock, Timer } from '../../lib/clock.ts'
import { SECOND_MS } from '../../lib/time.ts'
import type { Outage } from '../outage.ts'
import { connectionConfig, destroyConnection, endConnection } from './connection.ts'
import { createLiveness } from './liveness.ts'

/** How long a lost connection waits before it connects again, and again. */
export const RECONNECT_DELAY_MS = SECOND_MS
/** A connection that works for others has been heard of within this. */
const PROBE_EVERY_MS = 5 * SECOND_MS
/** Of a connection that was not heard of for so long nothing is known. */
const STALE_MS = 15 * SECOND_MS
const ANSWER_MS = 5 * SECOND_MS
/** Longer than any answer is waited for: whatever made a connection suspect is older than one that is younger than this. */
const YOUNG_MS = 30 * SECOND_MS

export interface ReconnectingOptions {
  url: string
  /** What the server shows the connection as. */
  name: string
  clock: Clock
  outage: Outage
  /** How long an answer may take before the connection counts as dead. */
  answerMs?: number
  reconnectDelayMs?: number
  /** What happens when another connection to the server did not answer: this one is asked too, or, as it waits nearly always, replaced. */
  whenSuspected?: 'probe' | 'replace'
  /** Makes a new connection ready; it counts as connected after that. One that this rejects for is tried again. */
  prepare(client: Client): Promise<unknown>
  /** Connected again: messages may have been missed. */
  restored(client: Client): void
  /** Gets the payload of each notification. */
  notified?(payload: string | undefined): void
}

export interface ReconnectingClient {
  isConnected(): boolean
  /** Something was asked of the database: asks over this connection too, if it was not heard of lately. Costs nothing otherwise. */
  touch(): void
  /** Resolves once it is known that the server heard this connection lately; rejects when it is lost. Nothing to wait for: undefined. */
  proven(): Promise<void> | undefined
  /** `goodbye` is said before the end. */
  close(goodbye?: (client: Client) => Promise<unknown>): Promise<void>
}

function createClient({ url, name, outage, notified, answerMs = ANSWER_MS }: ReconnectingOptions): Client {
  const client = new Client(connectionConfig(url, name, answerMs))
  client.on('error', (error) => outage.report(error))
  client.on('notification', ({ payload }) => notified?.(payload))
  return client
}

/**
 * The one kind of connection to PostgreSQL that lasts: it hears notifications, and holds what a session holds. It is probed while there is
 * traffic, for a connection may be dead without a word; an idle process asks nothing.
 *
 *   connected → lost: it ended, or did not answer a probe.
 *   lost → connected: after a delay it connected and was made ready; then `restored`.
 *   any → closed, for good.
 */
export async function openReconnectingClient(options: ReconnectingOptions): Promise<ReconnectingClient> {
  const { clock, outage, prepare, restored, reconnectDelayMs = RECONNECT_DELAY_MS, whenSuspected = 'probe' } = options
  let state: 'connected' | 'lost' | 'closed' = 'lost'
  let current: Client
  let connectedMs = 0
  let retry: Timer | undefined
  const liveness = createLiveness(clock, outage, () => current)

  const connect = async () => {
    const client = createClient(options)
    current = client
    try {
      const begun = liveness.moment()
      await client.connect()
      await prepare(client)
      if (state === 'closed') throw new Error('closed meanwhile')
      client.once('end', lose)
      state = 'connected'
      connectedMs = clock.elapsed()
      liveness.heard(begun)
    } catch (error) {
      client.end().catch(() => {})
      destroyConnection(client)
      throw error
    }
  }

  const reconnect = async () => {
    try {
      await connect()
      restored(current)
    } catch (error) {
      if (state === 'closed') return
      outage.report(error)
      lose()
    }
  }

  function lose() {
    if (state === 'closed') return
    state = 'lost'
    retry = clock.after(reconnectDelayMs, () => void reconnect())
  }

  const probeIfOlderThan = (ms: number) => {
    if (state === 'connected') liveness.probeIfOlderThan(ms)
  }

  await connect()
  outage.onSuspect(() => {
    if (whenSuspected === 'probe') probeIfOlderThan(SECOND_MS)
    else if (state === 'connected' && clock.elapsed() - connectedMs > YOUNG_MS) destroyConnection(current)
  })
  return {
    isConnected: () => state === 'connected',
    touch: () => probeIfOlderThan(PROBE_EVERY_MS),
    proven: () => (liveness.isOlderThan(STALE_MS) ? liveness.probe() : undefined),
    async close(goodbye) {
      state = 'closed'
      retry?.cancel()
      await goodbye?.(current).catch(() => {})
      await endConnection(current, clock)
    },
  }
}
