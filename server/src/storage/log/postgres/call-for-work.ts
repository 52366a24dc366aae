import type { Pool } from 'pg'
import type { Clock, Timer } from '../../../lib/clock.ts'
import { SECOND_MS } from '../../../lib/time.ts'
import { LOG_CHANNEL } from '../../postgres/log-listener.ts'

const RETRY_MS = SECOND_MS

interface Options {
  pool: Pool
  clock: Clock
  /** The number of this process, which does not hear itself. */
  worker: number
}

interface CallForWork {
  /** Tells the other processes that there are deliveries which nobody holds. Calls while a message is on its way share the next one. */
  call(): void
  stop(): void
}

/**
 * The message follows the commit, because `pg_notify` within it would make the commits of all processes wait for each other. It is repeated
 * until it was sent. If this process dies before, its end is announced, and others look for what it left.
 */
export function createCallForWork({ pool, clock, worker }: Options): CallForWork {
  let isWanted = false
  let isSending = false
  let isStopped = false
  let timer: Timer | undefined

  const send = async () => {
    isSending = true
    while (isWanted && !isStopped) {
      isWanted = false
      await pool.query({ name: 'log-call-for-work', text: 'select pg_notify($1, $2)', values: [LOG_CHANNEL, String(worker)] })
    }
    isSending = false
  }

  const call = () => {
    isWanted = true
    if (isSending || isStopped) return
    send().catch(() => {
      isSending = false
      isWanted = true
      timer ??= clock.after(RETRY_MS, () => {
        timer = undefined
        call()
      })
    })
  }

  return {
    call,
    stop() {
      isStopped = true
      timer?.cancel()
    },
  }
}
