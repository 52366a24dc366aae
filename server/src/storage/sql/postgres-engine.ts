import { Kysely, PostgresDialect } from 'kysely'
import type { Clock } from '../../lib/clock.ts'
import { createListeners, createNotifyingAnnouncer } from './announcer.ts'
import type { Engine } from './engine.ts'
import { postgresFlavour } from './flavour.ts'
import { createPool } from './postgres-pool.ts'
import { openPostgresSession } from './postgres-session.ts'
import type { Database } from './schema.ts'
import type { StorageLog } from './storage-log.ts'
import { livingWorkers } from './worker-number.ts'

/** The server and database of a URL, without its user and password. */
function placeOf(url: string): string {
  const { host, pathname } = new URL(url)
  return `${host}${pathname}`
}

/** A PostgreSQL database, which up to 64 processes share. */
export async function openPostgresEngine(url: string, clock: Clock, log?: StorageLog): Promise<Engine> {
  const listeners = createListeners(log)
  const session = await openPostgresSession({ url, clock, log, heard: listeners.tell }).catch((cause) => {
    const reason = cause.message || cause.code
    throw new Error(`PostgreSQL at ${placeOf(url)} cannot be used: ${reason}. Check POSTERN_DATABASE_URL, and that the server runs.`, {
      cause,
    })
  })
  const db = new Kysely<Database>({ dialect: new PostgresDialect({ pool: createPool(url, log) }) })
  return {
    db,
    flavour: postgresFlavour,
    announcer: createNotifyingAnnouncer(listeners),
    worker: session.worker,
    livingWorkers: () => livingWorkers(db),
    assertWorker() {
      if (!session.isHeld()) throw new Error('the session with PostgreSQL that holds the number of this process is lost')
    },
    async close() {
      await session.close()
      await db.destroy()
    },
  }
}
