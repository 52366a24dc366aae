import type { Clock } from '../../../lib/clock.ts'
import { SECOND_MS } from '../../../lib/time.ts'
import type { LogListener } from '../../postgres/log-listener.ts'
import { readStreamMessage, type StreamMessage } from './stream-message.ts'

interface ListenOptions {
  listener: LogListener
  clock: Clock
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

export interface Listening {
  /** Notices a lost connection, and from when on messages may be missed if it is. */
  watch(): void
}

/**
 * Calls `work` when another process has released deliveries, `streamed` when it has appended entries of streams, and both `work` and
 * `missed` after a lost connection, when messages may have been missed.
 */
export function listenForWork({ listener, clock, worker, work, streamed, missed }: ListenOptions): Listening {
  let heardMs = clock.now()
  listener.listen({
    notified(payload) {
      const message = readStreamMessage(payload)
      if (message === undefined) return payload !== String(worker) && work()
      if (message.worker !== worker) streamed(message)
    },
    restored() {
      work()
      missed(heardMs)
      heardMs = clock.now()
    },
  })
  return {
    watch() {
      if (!listener.isConnected()) return
      const provenMs = clock.now() - PROVEN_MS
      const proof = listener.proven() ?? Promise.resolve()
      proof.then(
        () => (heardMs = Math.max(heardMs, provenMs)),
        () => {},
      )
    },
  }
}
