import type { Logger } from 'pino'
import type { Clock } from '../lib/clock.ts'
import type { Seal } from '../lib/seal.ts'
import type { EventLog } from './event-log.ts'
import { createExplain, explainFailures } from './explain-failures.ts'
import { openSqliteLog } from './log/sqlite/open-sqlite-log.ts'
import { createOutage } from './outage.ts'
import type { Kind } from './records.ts'
import { openStorage } from './sql/open-storage.ts'
import type { Storage } from './storage.ts'

export interface DatabaseOptions {
  /** `sqlite:<path>`, `sqlite::memory:` or `postgres://…`. */
  url: string
  clock: Clock
  seal: Seal
  /** The declared kinds of records. */
  kinds: readonly Kind[]
  logger: Logger
}

export interface Database {
  storage: Storage
  eventLog: EventLog
  close(): Promise<void>
}

/** Closes both, whatever becomes of the first. */
const together = (storage: Storage, eventLog: EventLog): Database => ({
  storage,
  eventLog,
  close: () => eventLog.close().finally(() => storage.close()),
})

/** The commit that it answers is shared by many attempts and told apart by identity; it is rejected by the closing of the log alone. */
const UNTOUCHED = ['settle'] as const

async function openSqlite({ url, clock, seal, kinds, logger }: DatabaseOptions): Promise<Database> {
  const path = url.slice('sqlite:'.length)
  const outage = createOutage(clock, logger)
  const explain = createExplain(outage)
  const storage = await openStorage({ url, clock, seal, kinds, log: logger, explain, outage })
  const eventLog = await openSqliteLog({ path, clock })
  return together(storage, explainFailures<EventLog>(eventLog, explain, UNTOUCHED))
}

async function openPostgres({ url, clock, seal, kinds, logger }: DatabaseOptions): Promise<Database> {
  const outage = createOutage(clock, logger)
  const explain = createExplain(outage)
  const storage = await openStorage({ url, clock, seal, kinds, log: logger, explain, outage })
  const { worker, livingWorkers, assertWorker, lease, changes: departures } = storage
  const { openPostgresLog } = await import('./log/postgres/open-postgres-log.ts')
  const eventLog = await openPostgresLog({ url, clock, worker, livingWorkers, assertWorker, lease, departures, log: logger, outage })
  return together(storage, explainFailures(eventLog, explain, UNTOUCHED))
}

/** Opens the state and the event log of a Postern, and with a file the right to be the only process on it. */
export const openDatabase = (options: DatabaseOptions): Promise<Database> =>
  options.url.startsWith('sqlite:') ? openSqlite(options) : openPostgres(options)
