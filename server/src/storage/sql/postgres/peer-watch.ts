import type { Client } from 'pg'
import type { Clock } from '../../../lib/clock.ts'
import type { Outage } from '../../outage.ts'
import { destroyConnection } from '../../postgres/connection.ts'
import { openReconnectingClient } from '../../postgres/reconnecting-client.ts'
import { giveBackWorkers, livingWorkersText, type TakenNumber, waitForWorker } from './worker-number.ts'

const RECONNECT_DELAY_MS = 3000

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

export interface PeerWatch {
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
export async function openPeerWatch({ url, clock, worker, outage, cancel, departed }: WatchOptions): Promise<PeerWatch> {
  let isClosed = false
  let current: Client
  /** What serves it; asked of the server, because a pooler makes up another. */
  let backend: number | undefined
  /** Something happened since this looked last; and who is alone is woken by it. */
  let isStale = false
  let wake = () => {}
  /** Those that lived at the last look: one may go while nobody waits for it. */
  let living: number[] = []

  const prepare = async (fresh: Client) => {
    current = fresh
    fresh.once('end', () => wake())
    await fresh.query(LONGEST_WAIT)
    backend = (await fresh.query<{ pid: number }>('select pg_backend_pid() as pid')).rows[0]!.pid
  }

  const endWait = async () => {
    if (backend !== undefined) await cancel(backend)
  }

  /** A statement that the server has not begun yet is not ended by this, so it is repeated until it is seen to have worked. */
  const interrupt = async () => {
    for (let tries = 0; isStale && tries < MOST_INTERRUPTS; tries += 1) await endWait()
  }

  /** The lock of one that has gone may be had even after a wait that failed, so what is had is looked up, and given back before the next look. */
  const look = async (client: Client) => {
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

  /** Until the connection is lost. */
  const watch = async (client: Client) => {
    try {
      while (!isClosed) await look(client).catch(passOver)
    } catch {
      backend = undefined
      destroyConnection(client)
    }
  }

  const connection = await openReconnectingClient({
    ...{ url, name: 'postern', clock, outage, prepare, answerMs: ANSWER_MS, reconnectDelayMs: RECONNECT_DELAY_MS },
    whenSuspected: 'replace',
    restored(client) {
      departed()
      void watch(client)
    },
  })
  void watch(current!)

  return {
    lookAgain() {
      isStale = true
      wake()
      interrupt().catch(() => {})
    },
    async close() {
      isClosed = true
      await connection.close(endWait)
    },
  }
}

function passOver(error: { code?: string }) {
  if (!LOOK_AGAIN.has(error.code ?? '')) throw error
}
