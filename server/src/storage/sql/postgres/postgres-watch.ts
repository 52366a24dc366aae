import { Client } from 'pg'
import type { Clock, Timer } from '../../../lib/clock.ts'
import type { Outage } from '../../outage.ts'
import { connectionConfig, destroyConnection, endConnection } from '../../postgres/connection.ts'
import { giveBackWorkers, livingWorkersText, type TakenNumber, waitForWorker } from './worker-number.ts'

const RECONNECT_DELAY_MS = 3000
/** Longer than any answer is waited for. */
const YOUNG_MS = 30_000

/** A statement that waits keeps vacuum from what died since it began, so none waits longer than this. */
const LONGEST_WAIT = "set lock_timeout = '60s'"
/** A connection that says nothing for longer is dead. */
const ANSWER_MS = 75_000

/** lock_timeout, and pg_cancel_backend: look again. */
const LOOK_AGAIN = new Set(['55P03', '57014'])

const MOST_INTERRUPTS = 100

interface WatchOptions {
  url: string
  clock: Clock
  worker: number
  outage: Outage
  /** Ends what a connection waits for. */
  cancel(backend: number): Promise<unknown>
  /** Another process has gone, or may have. */
  departed(): void
}

export interface PostgresWatch {
  /** A process has come: the next one in the ring may be another now. */
  lookAgain(): void
  close(): Promise<void>
}

/** The next of them after `worker`, going round; undefined when there is no other. */
function nextInRing(workers: readonly number[], worker: number): number | undefined {
  const others = workers.filter((other) => other !== worker)
  return others.find((other) => other > worker) ?? others[0]
}

/**
 * Notices that another process has gone, without asking. Living processes form a ring by their worker numbers, and each waits for
 * the lock of the next, which PostgreSQL grants when that one's session ends, however it ends.
 *
 *   alone → watching: a process came.
 *   watching → alone or watching: the next one has gone (`departed`), another came between, or the wait was long enough.
 *   any → lost: the connection ended; after a delay it connects again, as often as it takes, and then somebody may have gone.
 *   any → closed, for good.
 */
export async function openPostgresWatch({ url, clock, worker, outage, cancel, departed }: WatchOptions): Promise<PostgresWatch> {
  let isClosed = false
  let client: Client
  /** What serves it; asked of the server, because a pooler makes up another. */
  let backend: number | undefined
  let connectedMs = 0
  let retry: Timer | undefined
  /** Something happened since this looked last; and who is alone is woken by it. */
  let isStale = false
  let wake = () => {}
  /** Those that lived at the last look: one may go while nobody waits for it. */
  let living: number[] = []

  const connect = async () => {
    client = new Client(connectionConfig(url, 'postern', ANSWER_MS))
    client.on('error', () => {})
    client.once('end', () => wake())
    try {
      await client.connect()
      await client.query(LONGEST_WAIT)
      connectedMs = clock.elapsed()
      backend = (await client.query<{ pid: number }>('select pg_backend_pid() as pid')).rows[0]!.pid
      if (isClosed) throw new Error('closed meanwhile')
    } catch (error) {
      await client.end().catch(() => {})
      throw error
    }
  }

  const endWait = async () => {
    if (backend !== undefined) await cancel(backend)
  }

  /** A statement that the server has not begun yet is not ended by this, so it is repeated until it is seen to have worked. */
  const interrupt = async () => {
    for (let tries = 0; isStale && tries < MOST_INTERRUPTS; tries += 1) await endWait()
  }

  /** The lock of one that has gone may be had even after a wait that failed, so what is had is looked up, and given back before the next look. */
  const look = async () => {
    isStale = false
    const { rows } = await client.query<TakenNumber>(livingWorkersText)
    if (rows.some(({ isMine }) => isMine)) return await giveBackWorkers(client)
    const workers = rows.map((row) => row.worker)
    const hasGone = living.some((one) => !workers.includes(one))
    living = workers
    if (hasGone) departed()
    const next = nextInRing(workers, worker)
    if (isStale) return
    if (next === undefined) return await new Promise<void>((resolve) => (wake = resolve))
    await waitForWorker(client, next)
  }

  const watch = async () => {
    while (!isClosed) await look().catch(passOver)
  }

  const lose = (error: unknown) => {
    backend = undefined
    client.end().catch(() => {})
    destroyConnection(client)
    if (isClosed) return
    outage.tell(error)
    retry = clock.after(RECONNECT_DELAY_MS, () => void connect().then(departed).then(watch).catch(lose))
  }

  await connect()
  watch().catch(lose)
  // It waits for the server nearly always, so it cannot be asked whether it is dead. A young one is not, for what was suspected is older.
  outage.onSuspect(() => {
    if (!isClosed && clock.elapsed() - connectedMs > YOUNG_MS) destroyConnection(client)
  })

  return {
    lookAgain() {
      isStale = true
      wake()
      interrupt().catch(() => {})
    },
    async close() {
      isClosed = true
      retry?.cancel()
      await endWait().catch(() => {})
      await endConnection(client, clock)
    },
  }
}

function passOver(error: { code?: string }) {
  if (!LOOK_AGAIN.has(error.code ?? '')) throw error
}
