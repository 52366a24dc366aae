import type { Clock } from '../../../lib/clock.ts'
import { SECOND_MS } from '../../../lib/time.ts'
import type { Outage } from '../../outage.ts'
import { openReconnectingClient, type ReconnectingClient } from '../../postgres/reconnecting-client.ts'
import { CHANNEL, readStreamMessage, type StreamMessage } from './stream-message.ts'

interface ListenOptions {
  /** It does not keep the process alive. */
  unheld?: boolean | undefined
  url: string
  clock: Clock
  outage: Outage
  /** Messages of this worker are ignored. */
  worker: number
  work(): void
  /** Another process has appended entries of streams. */
  streamed(message: StreamMessage): void
  /** Messages since this date may have been missed. */
  missed(sinceMs: number): void
}

/** A connection that answered within this time has brought every message from before. */
const PROVEN_MS = 15 * SECOND_MS

export interface Listening extends ReconnectingClient {
  /** Notices a lost connection, and from when on messages may be missed if it is. */
  watch(): void
}

/**
 * Calls `work` when another process has released deliveries, `streamed` when it has appended entries of streams, and both `work` and
 * `missed` after a lost connection, when messages may have been missed.
 */
export async function listenForWork({ url, clock, outage, worker, work, streamed, missed, unheld }: ListenOptions): Promise<Listening> {
  let heardMs = clock.now()
  const notified = (payload = '') => {
    const message = readStreamMessage(payload)
    if (message === undefined) return payload !== String(worker) && work()
    if (message.worker !== worker) streamed(message)
  }
  const client = await openReconnectingClient({
    url,
    name: 'postern-log',
    clock,
    outage,
    notified,
    unheld,
    prepare: (connection) => connection.query(`listen ${CHANNEL}`),
    restored() {
      work()
      missed(heardMs)
      heardMs = clock.now()
    },
  })
  return {
    ...client,
    watch() {
      if (!client.isConnected()) return
      const provenMs = clock.now() - PROVEN_MS
      const proof = client.proven() ?? Promise.resolve()
      proof.then(
        () => (heardMs = Math.max(heardMs, provenMs)),
        () => {},
      )
    },
  }
}
