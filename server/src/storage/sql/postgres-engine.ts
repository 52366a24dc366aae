import { Kysely, PostgresDialect } from 'kysely'
import type { Clock } from '../../lib/clock.ts'
import type { StorageLog } from '../storage-log.ts'
import { Unavailable } from '../unavailable.ts'
import { createNotifyingAnnouncer } from './announcer.ts'
import { batchStores } from './batched-stores.ts'
import type { Engine } from './engine.ts'
import { postgresFlavour } from './flavour.ts'
import { createAsk } from './postgres-ask.ts'
import { createPool } from './postgres-pool.ts'
import { openPostgresSession } from './postgres-session.ts'
import { openPostgresWatch } from './postgres-watch.ts'
import { preparedPool } from './prepared-pool.ts'
import type { Database } from './schema.ts'
import { createTableRateWindows } from './table-rate-windows.ts'
import { livingWorkers } from './worker-number.ts'

const NUMBER_LOST =
  'The session with the database that holds the number of this process is lost. Nothing was accepted: send it again in a moment.'

/** The server and database of a URL, without its user and password. */
function placeOf(url: string): string {
  const { host, pathname } = new URL(url)
  return `${host}${pathname}`
}

/** A PostgreSQL database, which up to 64 processes share. */
export async function openPostgresEngine(url: string, clock: Clock, log?: StorageLog): Promise<Engine> {
  const announcer = createNotifyingAnnouncer(log)
  const session = await openPostgresSession({ url, clock, log, hear: announcer.hear }).catch((cause) => {
    const reason = cause.message || cause.code
    throw new Error(`PostgreSQL at ${placeOf(url)} cannot be used: ${reason}. Check POSTERN_DATABASE_URL, and that the server runs.`, {
      cause,
    })
  })
  const pool = createPool(url, log)
  const db = new Kysely<Database>({ dialect: new PostgresDialect({ pool: preparedPool(pool) }) })
  const ask = createAsk(pool)
  const watch = await openPostgresWatch({
    ...{ url, clock, log, worker: session.worker },
    cancel: (backend) => pool.query('select pg_cancel_backend($1)', [backend]),
    departed: () => announcer.tell({ kind: 'departure' }),
  })
  announcer.listen(({ kind }) => kind === 'arrival' && watch.lookAgain())
  return {
    db,
    flavour: postgresFlavour,
    announcer,
    rateWindows: createTableRateWindows(db, ask),
    refine: (stores, seal) => batchStores(stores, db, ask, seal),
    unsynced: (run) => run(db),
    worker: session.worker,
    livingWorkers: () => livingWorkers(db),
    assertWorker() {
      if (!session.isHeld()) throw new Unavailable(NUMBER_LOST)
    },
    async close() {
      await watch.close()
      await session.close()
      await db.destroy()
    },
  }
}
