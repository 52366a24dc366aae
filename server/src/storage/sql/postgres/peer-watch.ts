import type { Client, QueryResult } from 'pg'
import type { Clock, Timer } from '../../../lib/clock.ts'
import type { Outage } from '../../outage.ts'
import { destroyConnection, LIFT_LIMITS } from '../../postgres/connection.ts'
import { openReconnectingClient } from '../../postgres/reconnecting-client.ts'
import { livingWorkersText, type TakenNumber, waitForWorker } from './worker-number.ts'

const RECONNECT_DELAY_MS = 3000

/** A waiting statement prevents vacuum from removing newer dead rows, so none waits longer than this. */
const MAX_LOCK_WAIT = "set lock_timeout = '60s'"
/** After this time without a response the connection is dead. */
const ANSWER_MS = 75_000

/** lock_timeout and pg_cancel_backend: check again. */
const CHECK_AGAIN = new Set(['55P03', '57014'])

const MAX_INTERRUPTS = 100

interface WatchOptions {
  /** It does not keep the process alive. */
  unheld?: boolean | undefined
  url: string
  clock: Clock
  worker: number
  outage: Outage
  /** Cancels the statement of a connection. */
  cancel(backend: number): Promise<unknown>
  /** Called when another process has ended, or may have. */
  departed(): void
}

export interface PeerWatch {
  /** Called when a process has started: the next one in the ring may be another now. */
  checkAgain(): void
  close(): Promise<void>
}

/** The worker after `worker` in the ring; undefined if there is no other. */
function nextInRing(workers: readonly number[], worker: number): number | undefined {
  const others = workers.filter((other) => other !== worker)
  return others.find((other) => other > worker) ?? others[0]
}

/**
 * Notices without polling that another process has ended. Live processes form a ring by their worker numbers. Each waits for the lock of the
 * next one, which PostgreSQL grants when that one's session ends, however it ends.
 *
 *   alone → watching: a process has started.
 *   watching → alone or watching: the next one has ended (`departed`), another started in between, or the wait timed out.
 *   any → lost: the connection ended. It reconnects after a delay, and then another process may have ended.
 *   any → closed, for good.
 */
async function openPeerWatch({ url, clock, worker, outage, cancel, departed, unheld }: WatchOptions): Promise<PeerWatch> {
  let isClosed = false
  let current: Client
  /** The server process of the connection; queried, because a pooler reports another. */
  let backend: number | undefined
  /** Something has happened since the last check. Also wakes a process that is alone. */
  let isStale = false
  let wake = () => {}
  /** The live workers at the last check: one may end while no process waits for it. */
  let living: number[] = []

  const prepare = async (fresh: Client) => {
    current = fresh
    fresh.once('end', () => wake())
    const answers = (await fresh.query(`${MAX_LOCK_WAIT}; ${LIFT_LIMITS}; select pg_backend_pid() as pid`)) as unknown as QueryResult<{
      pid: number
    }>[]
    backend = answers.at(-1)!.rows[0]!.pid
  }

  const endWait = async () => {
    if (backend !== undefined) await cancel(backend)
  }

  /** Repeated until it has worked, because a statement that the server has not begun yet is not cancelled. */
  const interrupt = async () => {
    for (let tries = 0; isStale && tries < MAX_INTERRUPTS; tries += 1) await endWait()
  }

  const look = async (client: Client) => {
    isStale = false
    const { rows } = await client.query<TakenNumber>(livingWorkersText)
    const workers = rows.map((row) => row.worker)
    const hasGone = living.some((one) => !workers.includes(one))
    living = workers
    if (hasGone) departed()
    const next = nextInRing(workers, worker)
    if (isStale) return
    if (next === undefined) return await new Promise<void>((resolve) => (wake = resolve))
    await waitForWorker(client, next)
    // It may have its number again before the next look.
    living = living.filter((one) => one !== next)
    departed()
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
    url,
    name: 'postern',
    clock,
    outage,
    prepare,
    unheld,
    answerMs: ANSWER_MS,
    reconnectDelayMs: RECONNECT_DELAY_MS,
    whenSuspected: 'replace',
    restored(client) {
      departed()
      void watch(client)
    },
  })
  void watch(current!)

  return {
    checkAgain() {
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

/** Watches from the first arrival on: a process that has always been alone needs no connection for it. */
export function createPeerWatch(options: WatchOptions): PeerWatch {
  const { clock, outage, departed } = options
  let opening: Promise<PeerWatch | undefined> | undefined
  let opened: PeerWatch | undefined
  let retry: Timer | undefined
  let isClosed = false

  const open = async (isRetry: boolean): Promise<PeerWatch | undefined> => {
    try {
      opened = await openPeerWatch(options)
      // What arrived may have ended meanwhile.
      if (isRetry) departed()
    } catch (error) {
      outage.report(error)
      opening = undefined
      if (!isClosed) retry = clock.after(RECONNECT_DELAY_MS, () => (opening ??= open(true)))
    }
    return opened
  }

  return {
    checkAgain() {
      if (isClosed) return
      if (opened) opened.checkAgain()
      else opening ??= open(false)
    },
    async close() {
      isClosed = true
      retry?.cancel()
      await (await opening)?.close()
    },
  }
}

function passOver(error: { code?: string }) {
  if (!CHECK_AGAIN.has(error.code ?? '')) throw error
}
