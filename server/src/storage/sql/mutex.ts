import { sql, type Transaction } from 'kysely'
import type { Clock, Timer } from '../../lib/clock.ts'
import { createSemaphore } from '../../lib/mutex.ts'
import { SECOND_MS } from '../../lib/time.ts'
import type { Storage } from '../storage.ts'
import { tryAdvisoryLock } from './advisory-lock.ts'
import type { Engine } from './engine.ts'
import type { Database } from './schema.ts'

/** Shorter than what the server puts up with from a transaction that says nothing: only that of a frozen process is ended. */
const KEEP_EVERY_MS = 3 * SECOND_MS
const AGAIN_MS = 200

/** Keeps a transaction from being taken for that of a frozen process while what it holds the lock for is done elsewhere. */
function keepOpen(trx: Transaction<Database>, clock: Clock): () => void {
  let timer: Timer | undefined
  let isOver = false
  const later = () => {
    if (!isOver) timer = clock.after(KEEP_EVERY_MS, () => void sql`select 1`.execute(trx).then(later, () => {}))
  }
  later()
  return () => {
    isOver = true
    timer?.cancel()
  }
}

type Done<T> = { result: T } | undefined

/**
 * Those of this process wait for one another first, and for other processes without a connection: the lock is asked for again and again.
 * When the transaction that holds it is lost meanwhile, what was done is done, and its end is an error.
 */
export function createAlone({ transactions, flavour }: Pick<Engine, 'transactions' | 'flavour'>, clock: Clock): Storage['alone'] {
  const inTurn = createSemaphore(1, Number.POSITIVE_INFINITY)
  const pause = () => new Promise<void>((resolve) => void clock.after(AGAIN_MS, resolve))

  const runLocked = <T>(run: () => Promise<T>): Promise<Done<T>> =>
    transactions.transaction().execute(async (trx): Promise<Done<T>> => {
      if (!(await tryAdvisoryLock(trx, 'mutex'))) return undefined
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
