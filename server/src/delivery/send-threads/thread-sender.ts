import type { Logger } from 'pino'
import { type Clock, createClock } from '../../lib/clock.ts'
import { lazy } from '../../lib/lazy.ts'
import { startWorker } from '../../lib/thread-calls.ts'
import { createSender, MAX_IDLE_CONNECTIONS, type Sender, type SenderOptions } from '../send/sender.ts'
import { type SenderThreadData, urlOf } from './batches.ts'
import { createThreadLink } from './thread-link.ts'

/** The clock is that of the requests with a receiver, which stay on this thread. */
export interface ThreadSenderOptions extends SenderOptions {
  /** At least 1. */
  threads: number
  logger: Logger
  /** Called when a thread has ended by itself, and will start again. */
  threadFailed?: () => void
  /** Notices a thread that does not respond. Real time, unless a test moves it. */
  watchClock?: Clock
}

const HASHES = 2 ** 32

/** The place of a callback URL among so many. The query does not count: a challenge goes where the deliveries of its webhook go. */
export function placeOf(url: string, places: number): number {
  let hash = 0x811c9dc5
  // FNV-1a, then the last step of MurmurHash3: URLs that differ little are far apart.
  for (let at = 0; at < url.length && url[at] !== '?'; at += 1) hash = Math.imul(hash ^ url.charCodeAt(at), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  hash ^= hash >>> 16
  return Math.floor(((hash >>> 0) / HASHES) * places)
}

/**
 * A sender whose requests are sent by threads. Each callback URL has one of them, which holds its connections and TLS sessions. Deadlines and
 * durations are those of the thread, in real time: moving the clock of the options does not reach them.
 * A request with a receiver of its body stays on this thread.
 */
export function createThreadSender({ threads, logger, threadFailed, watchClock, ...options }: ThreadSenderOptions): Sender {
  const { clock: _own, refuse, maxIdleConnections = MAX_IDLE_CONNECTIONS, ...rest } = options
  const data: SenderThreadData = { options: { ...rest, maxIdleConnections: Math.ceil(maxIdleConnections / threads) } }
  const start = () => startWorker(new URL('./sender-thread.ts', import.meta.url), data)
  const clock = watchClock ?? createClock()
  const links = Array.from({ length: threads }, () => createThreadLink({ start, refuse, clock, logger, threadFailed }))
  const here = lazy(() => createSender(options))

  return {
    send: (out) => (out.receiver ? here() : links[placeOf(urlOf(out), threads)]!).send(out),
    async close() {
      await Promise.all([here(), ...links].map((sender) => sender.close()))
    },
  }
}
