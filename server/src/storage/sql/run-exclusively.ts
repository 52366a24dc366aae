import { sql, type Transaction } from 'kysely'
import type { Clock, Timer } from '../../lib/clock.ts'
import { createSemaphore } from '../../lib/mutex.ts'
import { SECOND_MS } from '../../lib/time.ts'
import type { Storage } from '../storage.ts'
import { tryAdvisoryLock } from './advisory-lock.ts'
import type { Engine } from './engine.ts'
import type { Database } from './schema.ts'

/** Shorter than the server's `idle_in_transaction_session_timeout`, so that only the transaction of a frozen process is ended. */
const KEEP_EVERY_MS = 3 * SECOND_MS
const RETRY_DELAY_MS = 200

/** Keeps a transaction alive while the work for which it holds the lock is done outside of it. */
function keepOpen(trx: Transaction<Database>, clock: Clock): () => void {
  let timer: Timer | undefined
  let isOver = false
  const later = () => {
    if (!isOver) timer = clock.after(KEEP_EVERY_MS, () => void sql`select 1`.execute(trx).then(later, () => {}), { isUpkeep: true })
  }
  later()
  return () => {
    isOver = true
    timer?.cancel()
  }
}

type Done<T> = { result: T } | undefined

/**
 * Tasks of this process wait in a queue first, and for other processes without holding a connection: the lock is tried repeatedly. If the
 * transaction that holds the lock is lost meanwhile, the work stays done, and the result is an error.
 */
export function createRunExclusively(
  { transactions, flavour }: Pick<Engine, 'transactions' | 'flavour'>,
  clock: Clock,
): Storage['runExclusively'] {
  const inTurn = createSemaphore(1, Number.POSITIVE_INFINITY)
  const pause = () => new Promise<void>((resolve) => void clock.after(RETRY_DELAY_MS, resolve))

  const runLocked = <T>(run: () => Promise<T>): Promise<Done<T>> =>
    transactions.transaction().execute(async (trx): Promise<Done<T>> => {
      if (!(await tryAdvisoryLock(trx, 'runExclusively'))) return undefined
      const stop = keepOpen(trx, clock)
      return { result: await run().finally(stop) }
    })

  return (run) =>
    inTurn(async () => {
      if (!flavour.locksRows) return run()
      let done = await runLocked(run)
      while (!done) {
        await pause()
        done = await runLocked(run)
      }
      return done.result
    })
}
