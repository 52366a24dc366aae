import { sql } from 'kysely'
import { createTurns } from '../../lib/turns.ts'
import type { Storage } from '../storage.ts'
import type { Engine } from './engine.ts'

/** Of the advisory lock that is held meanwhile. */
const LOCK = 1_886_352_240

/** Those of this process wait for one another first, so that they wait with at most one connection to the database. */
export function createAlone({ db, flavour }: Pick<Engine, 'db' | 'flavour'>): Storage['alone'] {
  const inTurn = createTurns(1, Number.POSITIVE_INFINITY)
  return (run) =>
    inTurn(() => {
      if (!flavour.locksRows) return run()
      return db.transaction().execute(async (trx) => {
        await sql`select pg_advisory_xact_lock(${sql.lit(LOCK)})`.execute(trx)
        return run()
      })
    })
}
