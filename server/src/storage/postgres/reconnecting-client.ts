import { Client } from 'pg'
import type { Clock, Timer } from '../../lib/clock.ts'
import { SECOND_MS } from '../../lib/time.ts'
import type { Outage } from '../outage.ts'
import { connectionConfig, destroyConnection, endConnection, unholdProcess } from './connection.ts'
import { queryInTurn, type RunQuery } from './query-in-turn.ts'

/** A time on two clocks. The wall clock too, because the monotonic one stops while the machine is suspended. */
interface Moment {
  monotonicMs: number
  wallMs: number
}

/** Tracks when the server last responded on a connection, and probes it if that was long ago. */
function createLiveness(clock: Clock, outage: Outage, current: () => Client) {
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
      outage.suspectConnections('unanswered')
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

/** The delay before each try to reconnect. */
export const RECONNECT_DELAY_MS = SECOND_MS
/** While there is traffic, a connection is probed this often. */
const PROBE_EVERY_MS = 5 * SECOND_MS
/** After this time without a response a connection may be dead. */
const STALE_MS = 15 * SECOND_MS
const ANSWER_MS = 5 * SECOND_MS
/** Longer than every response timeout: a younger connection was opened after what made the connections suspect. */
const YOUNG_MS = 30 * SECOND_MS

export interface ReconnectingOptions {
  url: string
  /** The `application_name` of the connection. */
  name: string
  clock: Clock
  outage: Outage
  /** After this time without a response the connection counts as dead. */
  answerMs?: number
  reconnectDelayMs?: number
  /** It does not keep the process alive. */
  unheld?: boolean | undefined
  /**
   * When another connection to the server did not respond: probe this one, or replace it because it waits nearly always. When another could
   * write nothing this one is replaced, because a new one may lead to the server that takes writes.
   */
  whenSuspected?: 'probe' | 'replace'
  /** Prepares a new connection, which counts as connected after that. If this rejects, another one is tried. */
  prepare(client: Client): Promise<unknown>
  /** Connected again: messages may have been missed. */
  restored(client: Client): void
  /** It ended, did not respond, or could not be opened again. */
  lost?(): void
  /** Gets the payload and the channel of each notification. */
  notified?(payload: string | undefined, channel: string): void
}

export interface ReconnectingClient {
  isConnected(): boolean
  /** Called when the database is used: probes this connection if it has not responded lately. Otherwise costs nothing. */
  touch(): void
  /** Probes the connection if the last probe that was answered was sent longer ago. */
  probeIfOlderThan(ms: number): void
  /** Whether the server has responded to a probe that was sent after `sinceMs` (monotonic) and at most `maxAgeMs` ago. */
  isProven(sinceMs: number, maxAgeMs: number): boolean
  /** Runs a statement. Rejects if the connection is lost. */
  query: RunQuery
  /** Resolves once the server has responded lately; rejects if the connection is lost. Undefined if there is nothing to wait for. */
  proven(): Promise<void> | undefined
  /** `goodbye` runs before the connection is closed. */
  close(goodbye?: (client: Client) => Promise<unknown>): Promise<void>
}

function createClient({ url, name, outage, notified, answerMs = ANSWER_MS }: ReconnectingOptions): Client {
  const client = new Client(connectionConfig(url, name, answerMs))
  client.on('error', (error) => outage.report(error))
  client.on('notification', ({ payload, channel }) => notified?.(payload, channel))
  return client
}

/**
 * A permanent connection to PostgreSQL, for notifications and session locks. It is probed while there is traffic, because a connection may die
 * silently. An idle process sends nothing.
 *
 *   connected → lost: it ended, or did not respond to a probe.
 *   lost → connected: after a delay it connected and was prepared; then `restored`.
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
      if (options.unheld) unholdProcess(client)
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
    options.lost?.()
  }

  const probeIfOlderThan = (ms: number) => {
    if (state === 'connected') liveness.probeIfOlderThan(ms)
  }

  await connect()
  const forget = outage.onSuspect((reason) => {
    if (reason === 'read-only') {
      if (state === 'connected') destroyConnection(current)
    } else if (whenSuspected === 'probe') probeIfOlderThan(SECOND_MS)
    else if (state === 'connected' && clock.elapsed() - connectedMs > YOUNG_MS) destroyConnection(current)
  })
  return {
    isConnected: () => state === 'connected',
    touch: () => probeIfOlderThan(PROBE_EVERY_MS),
    probeIfOlderThan,
    isProven: (sinceMs, maxAgeMs) => state === 'connected' && liveness.isProvenSince(sinceMs) && !liveness.isOlderThan(maxAgeMs),
    query: (text, values) =>
      state === 'connected' ? queryInTurn(current)(text, values) : Promise.reject(new Error('the connection is lost')),
    proven: () => (liveness.isOlderThan(STALE_MS) ? liveness.probe() : undefined),
    async close(goodbye) {
      state = 'closed'
      forget()
      retry?.cancel()
      await goodbye?.(current).catch(() => {})
      await endConnection(current, clock)
    },
  }
}
