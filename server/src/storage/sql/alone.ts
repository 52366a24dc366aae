import { createTurns } from '../../lib/turns.ts'
import type { Storage } from '../storage.ts'
import type { Engine } from './engine.ts'
import { holdLock } from './hold-lock.ts'

/** Those of this process wait for one another first, so that they wait with at most one connection to the database. */
export function createAlone({ db, flavour }: Pick<Engine, 'db' | 'flavour'>): Storage['alone'] {
  const inTurn = createTurns(1, Number.POSITIVE_INFINITY)
  return (run) =>
    inTurn(() => {
      if (!flavour.locksRows) return run()
      return db.transaction().execute(async (trx) => {
        await holdLock(trx, flavour, 'alone')
        return run()
      })
    })
}
