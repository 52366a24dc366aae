import { Client } from 'pg'
import type { Clock, Timer } from '../../lib/clock.ts'
import type { StorageLog } from '../storage-log.ts'
import { CHANNEL, messageOf } from './announcer.ts'
import { connectionConfig } from './postgres-pool.ts'
import { giveBackWorkers, takeLowestWorker, takeWorker } from './worker-number.ts'

/** How long a lost session waits before it connects again, and again. */
export const RECONNECT_DELAY_MS = 1000

export interface PostgresSession {
  worker: number
  /** False from the loss of the connection until it has the worker number again. */
  isHeld(): boolean
  close(): Promise<void>
}

interface SessionOptions {
  url: string
  clock: Clock
  log: StorageLog | undefined
  /** Gets each message of the channel; none when some may have been missed. */
  hear(message?: string): void
}

/** Has the server notice within a minute that this process has gone without a word, and free its worker number. */
const NOTICE_DEATH = 'set tcp_keepalives_idle = 30; set tcp_keepalives_interval = 10; set tcp_keepalives_count = 3'

const ARRIVAL = messageOf({ kind: 'arrival' })

/**
 * The one connection of a process that lasts: it hears the changes of all processes and holds the worker number of this one.
 * Another process that has the number while it is lost would make the same ids and sequence numbers, so nothing that carries one is
 * written until it is held again: such requests are answered 503. Deliveries go on; whoever takes them over strikes this process off.
 *
 *   held → lost: the connection ended. Messages are missed, and the number is free for others.
 *   lost → held: after a delay it connected, listens, and has the same number again, because ids are made with it; then `everything` is heard.
 *   lost → lost: it could not connect, or another process has the number; tried again after the delay.
 *   any → closed, for good.
 */
export async function openPostgresSession({ url, clock, log, hear }: SessionOptions): Promise<PostgresSession> {
  let state: 'held' | 'lost' | 'closed' = 'lost'
  let current: Client
  let retry: Timer | undefined

  async function connect<T>(prepare: (client: Client) => Promise<T>): Promise<T> {
    const client = new Client(connectionConfig(url))
    current = client
    client.on('error', (error) => log?.warn({ err: error }, 'the session with PostgreSQL failed'))
    try {
      await client.connect()
      client.on('notification', ({ payload }) => hear(payload))
      await client.query(`${NOTICE_DEATH}; listen ${CHANNEL}`)
      const prepared = await prepare(client)
      await client.query('select pg_notify($1, $2)', [CHANNEL, ARRIVAL])
      if (state === 'closed') throw new Error('closed meanwhile')
      client.once('end', lose)
      state = 'held'
      return prepared
    } catch (error) {
      await client.end().catch(() => {})
      throw error
    }
  }

  function lose() {
    if (state === 'closed') return
    state = 'lost'
    retry = clock.after(RECONNECT_DELAY_MS, () => void reconnect())
  }

  async function takeAgain(client: Client) {
    if (await takeWorker(client, worker)) return
    throw new Error(`another process has the worker number ${worker}: restart this one`)
  }

  async function reconnect() {
    try {
      await connect(takeAgain)
      hear()
    } catch (error) {
      if (state === 'closed') return
      log?.error({ err: error }, 'the session with PostgreSQL is not back yet')
      lose()
    }
  }

  const worker = await connect(takeLowestWorker)

  return {
    worker,
    isHeld: () => state === 'held',
    async close() {
      state = 'closed'
      retry?.cancel()
      // The server would free the number only once it has noticed the end.
      await giveBackWorkers(current).catch(() => {})
      await current.end().catch(() => {})
    },
  }
}
