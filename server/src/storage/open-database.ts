import type { Logger } from 'pino'
import type { Clock } from '../lib/clock.ts'
import type { Seal } from '../lib/seal.ts'
import type { EventLog } from './event-log.ts'
import { openSqliteLog } from './log/sqlite/open-sqlite-log.ts'
import { openStorage } from './sql/open-storage.ts'
import type { Storage } from './storage.ts'

export interface DatabaseOptions {
  /** `sqlite:<path>`, `sqlite::memory:` or `postgres://…`. */
  url: string
  clock: Clock
  seal: Seal
  logger: Logger
}

export interface Database {
  storage: Storage
  eventLog: EventLog
  close(): Promise<void>
}

const MEMORY = ':memory:'

async function openSqlite({ url, clock, seal, logger }: DatabaseOptions): Promise<Database> {
  const path = url.slice('sqlite:'.length)
  const storage = await openStorage({ url, clock, seal, log: logger })
  const eventLog = await openSqliteLog({ path: path === MEMORY ? MEMORY : `${path}.events`, clock })
  const close = async () => {
    await eventLog.close()
    await storage.close()
  }
  return { storage, eventLog, close }
}

async function openPostgres({ url, clock, seal, logger }: DatabaseOptions): Promise<Database> {
  const storage = await openStorage({ url, clock, seal, log: logger })
  const { openPostgresLog } = await import('./log/postgres/open-postgres-log.ts')
  const eventLog = await openPostgresLog({ url, clock, worker: storage.worker, livingWorkers: () => storage.livingWorkers() })
  const close = async () => {
    await eventLog.close()
    await storage.close()
  }
  return { storage, eventLog, close }
}

/** Opens the state and the event log of a Postern, and with a file the right to be the only process on it. */
export const openDatabase = (options: DatabaseOptions): Promise<Database> =>
  options.url.startsWith('sqlite:') ? openSqlite(options) : openPostgres(options)
