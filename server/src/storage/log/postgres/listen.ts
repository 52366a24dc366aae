import { Client } from 'pg'
import type { Clock, Timer } from '../../../lib/clock.ts'
import { connectionConfig } from './connect.ts'

/** The channel on which a process says that it has handed deliveries back. The message is its worker number. */
export const CHANNEL = 'postern_log'

const RECONNECT_DELAY_MS = 1_000

interface ListenOptions {
  url: string
  clock: Clock
  /** Its own messages are not heard. */
  worker: number
  work(): void
}

/**
 * Hears when another process has handed deliveries back.
 *
 *   listening → lost: the connection ended; after a delay it connects again, as often as it takes.
 *   lost → listening: messages may have been missed, so `work` is called.
 *   any → closed, for good.
 */
export async function listenForWork({ url, clock, worker, work }: ListenOptions): Promise<{ close(): Promise<void> }> {
  let isClosed = false
  let client: Client | undefined
  let retry: Timer | undefined

  const connect = async () => {
    const next = new Client(connectionConfig(url))
    next.on('error', () => {})
    next.on('notification', ({ payload }) => payload !== String(worker) && work())
    try {
      await next.connect()
      await next.query(`listen ${CHANNEL}`)
    } catch (error) {
      await next.end().catch(() => {})
      throw error
    }
    if (isClosed) return await next.end()
    next.once('end', lost)
    client = next
  }

  const lost = () => {
    if (isClosed) return
    retry = clock.after(RECONNECT_DELAY_MS, () => void connect().then(work, lost))
  }

  await connect()
  return {
    async close() {
      isClosed = true
      retry?.cancel()
      await client?.end().catch(() => {})
    },
  }
}
