import { sql, type Transaction } from 'kysely'
import type { Clock, Timer } from '../../lib/clock.ts'
import { SECOND_MS } from '../../lib/duration.ts'
import { createTurns } from '../../lib/turns.ts'
import type { Storage } from '../storage.ts'
import type { Engine } from './engine.ts'
import { holdLock } from './hold-lock.ts'
import type { Database } from './schema.ts'

/** Shorter than what the server puts up with from a transaction that says nothing: only that of a frozen process is ended. */
const KEEP_EVERY_MS = 3 * SECOND_MS

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

/** Those of this process wait for one another first, so that they wait with at most one connection to the database. */
export function createAlone({ maintenance, flavour }: Pick<Engine, 'maintenance' | 'flavour'>, clock: Clock): Storage['alone'] {
  const inTurn = createTurns(1, Number.POSITIVE_INFINITY)
  return (run) =>
    inTurn(() => {
      if (!flavour.locksRows) return run()
      return maintenance.transaction().execute(async (trx) => {
        await holdLock(trx, flavour, 'alone')
        const stop = keepOpen(trx, clock)
        return run().finally(stop)
      })
    })
}
