import { existsSync, realpathSync, statSync } from 'node:fs'
import type { Logger } from 'pino'
import type { Clock, Timer } from '../lib/clock.ts'
import type { Seal } from '../lib/seal.ts'
import type { EventLog } from './event-log.ts'
import { guardOnlyLog } from './guard-only-log.ts'
import { openSqliteLog, type SqliteLog } from './log/sqlite/open-sqlite-log.ts'
import type { LogPosition } from './log/sqlite/verify-log.ts'
import { createErrorMapper, mapErrors, type Track } from './map-errors.ts'
import { EVENT_LOG, type Metadata } from './metadata.ts'
import { createOutage, type Outage } from './outage.ts'
import { type ConnectionWaits, createConnectionWaits } from './postgres/connection-waits.ts'
import { placeOf } from './postgres/place.ts'
import type { RecordType } from './records.ts'
import type { Role } from './roles.ts'
import type { SeveralLogs } from './several-logs.ts'
import { openStorage } from './sql/open-storage.ts'
import type { Storage } from './storage.ts'

/** Delay between a commit and its record in the state. Losing a log may go unnoticed for the events of this time. */
const RECORD_DELAY_MS = 1_000

const print = ({ id, sequence }: LogPosition) => `${id} ${sequence}`

/** The position that the state recorded last. */
async function readPosition(metadata: Metadata): Promise<LogPosition | undefined> {
  const [id, sequence] = (await metadata.get(EVENT_LOG))?.split(' ') ?? []
  return id === undefined ? undefined : { id, sequence: Number(sequence) }
}

/**
 * Records in the state which log belongs to it, and the log's newest event: within a second of each commit, without an fsync, and
 * exactly when the log is closed. The recorded position is never ahead of what was committed.
 */
async function recordPosition(log: SqliteLog, metadata: Metadata, clock: Clock): Promise<EventLog> {
  let timer: Timer | undefined
  const record = () => metadata.set(EVENT_LOG, print(log.position()))

  /** After a failure the next commit tries again. */
  const recordSoon = async () => {
    timer = undefined
    await metadata.setUnsynced(EVENT_LOG, print(log.position())).catch(() => {})
  }

  /** The state is reset first: if the process dies in between, it does not look like a loss. */
  const replace = async (run: () => Promise<void>) => {
    timer?.cancel()
    timer = undefined
    await metadata.set(EVENT_LOG, print({ ...log.position(), sequence: 0 }))
    await run()
    await record()
  }

  if ((await metadata.get(EVENT_LOG)) !== print(log.position())) await record()
  let closing: Promise<void> | undefined
  return {
    ...log,
    async append(events) {
      const accepted = await log.append(events)
      timer ??= clock.after(RECORD_DELAY_MS, recordSoon)
      return accepted
    },
    wipe: () => replace(log.wipe),
    snapshots: { ...log.snapshots, restore: (name) => replace(() => log.snapshots.restore(name)) },
    close() {
      timer?.cancel()
      closing ??= log.close().finally(record)
      return closing
    },
  }
}

export interface DatabaseOptions {
  /** `sqlite:<path>`, `sqlite::memory:` or `postgres://…`. */
  url: string
  clock: Clock
  seal: Seal
  /** The declared record types. */
  recordTypes: readonly RecordType[]
  /** The id of a loss, of the event log or of the write-ahead log of a SQLite file, that the operator accepts. */
  acceptedLoss?: string
  logger: Logger
  /** Told of each call of a port. */
  track?: Track
  /** Connections to PostgreSQL do not keep the process alive. */
  unheld?: boolean | undefined
  /** What this process does; all by default. Others on PostgreSQL are told. */
  roles?: readonly Role[]
  /** Another process on PostgreSQL sends what this one appends. */
  handsOver?: boolean
  /** Sweeps memberships every hour; true by default. */
  sweeps?: boolean
  /** The databases of the event log, `postgres://…`; that of `url` alone by default. */
  logUrls?: readonly string[] | undefined
}

export interface Database {
  storage: Storage
  eventLog: EventLog
  /** On PostgreSQL: how statements waited for connections, by pool. */
  connectionWaits?: ConnectionWaits['read'] | undefined
  /** Where there are several event logs. */
  severalLogs?: SeveralLogs | undefined
  close(): Promise<void>
}

/** Closes both, also if closing the first fails. */
const together = (storage: Storage, eventLog: EventLog): Database => ({
  storage,
  eventLog,
  close: () => eventLog.close().finally(() => storage.close()),
})

/** `acknowledge` returns the same promise for all attempts of a commit, and callers compare it by identity. Only closing the log rejects it. */
const NOT_MAPPED = ['acknowledge'] as const

const isEmpty = (path: string) => (statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0

/** Former versions named the log after a link to the database. */
function assertOneLog(path: string, real: string) {
  if (path === real || isEmpty(`${path}.events`) || !isEmpty(`${real}.events`)) return
  throw new Error(`${path} is a link to ${real}: move ${path}.events, with its -wal file, to ${real}.events`)
}

/** Throws if the state is missing but its event log is not: a new state would not match the log. */
function assertState(path: string) {
  if (!isEmpty(path) || isEmpty(`${path}.events`)) return
  throw new Error(
    `the database ${path} is missing or empty, but its event log ${path}.events is not: restore ${path} from a backup and leave the event log as it is, or restore both. To start with an empty database, move ${path}.events and its -wal file away`,
  )
}

interface LogOptions {
  url: string
  clock: Clock
  logger: Logger
  outage: Outage
  unheld: boolean | undefined
  waits: ConnectionWaits
  handsOver: boolean | undefined
}

/** Resolves links, so that all names of a file are one database. */
function findFile(path: string): string {
  if (path === ':memory:') return path
  const real = existsSync(path) ? realpathSync(path) : path
  assertOneLog(path, real)
  assertState(real)
  return real
}

async function openSqlite({ url, clock, seal, recordTypes, acceptedLoss, logger, track }: DatabaseOptions): Promise<Database> {
  const path = findFile(url.slice('sqlite:'.length))
  const outage = createOutage(clock, logger, { database: path })
  const mapError = createErrorMapper(outage)
  const storage = await openStorage({ url: `sqlite:${path}`, clock, seal, recordTypes, log: logger, mapError, outage, track, acceptedLoss })
  try {
    const expected = { known: await readPosition(storage.metadata), acceptedLoss }
    const log = await openSqliteLog({ path: path === ':memory:' ? path : realpathSync(path), clock, expected, log: logger })
    const eventLog = await recordPosition(log, storage.metadata, clock)
    return together(storage, mapErrors<EventLog>(eventLog, mapError, { notMapped: NOT_MAPPED, track }))
  } catch (error) {
    await storage.close().catch(() => {})
    throw error
  }
}

/** The one event log that there is, in the database of the state. It takes no more events once others have been given a part of them. */
async function openOnlyLog(storage: Storage, { logger, ...options }: LogOptions): Promise<EventLog> {
  const { openPostgresLog } = await import('./log/postgres/open-postgres-log.ts')
  const { worker, livingWorkers, workerSession, lease, changes: departures, logListener } = storage
  const guard = guardOnlyLog(storage, options.clock, logger)
  const assertWorker = () => {
    guard.assertOnly()
    return storage.assertWorker()
  }
  const own = { worker, livingWorkers, workerSession, assertWorker, lease, departures, listener: logListener! }
  const log = await openPostgresLog({ ...options, ...own, log: logger })
  return {
    ...log,
    close() {
      guard.stop()
      return log.close()
    },
  }
}

async function openLogs(storage: Storage, options: LogOptions, logUrls: readonly string[] | undefined) {
  const isOnly = logUrls === undefined || (logUrls.length === 1 && logUrls[0] === options.url)
  if (isOnly) return { eventLog: await openOnlyLog(storage, options), logs: undefined }
  const { openSeveralLogs } = await import('./log/several/open-several-logs.ts')
  return await openSeveralLogs({ ...options, stateUrl: options.url, urls: logUrls, storage })
}

async function openPostgres({
  url,
  clock,
  seal,
  recordTypes,
  logger,
  track,
  unheld,
  logUrls,
  ...part
}: DatabaseOptions): Promise<Database> {
  const outage = createOutage(clock, logger, { database: placeOf(url) })
  const mapError = createErrorMapper(outage)
  const waits = createConnectionWaits(clock)
  const { roles, sweeps, handsOver } = part
  const told = { log: logger, mapError, outage, track, waits }
  const storage = await openStorage({ url, clock, seal, recordTypes, unheld, roles, sweeps, ...told })
  try {
    const { eventLog, logs } = await openLogs(storage, { url, clock, logger, outage, unheld, waits, handsOver }, logUrls)
    const database = together(storage, mapErrors(eventLog, mapError, { notMapped: NOT_MAPPED, track }))
    return { ...database, connectionWaits: waits.read, severalLogs: logs }
  } catch (error) {
    await storage.close().catch(() => {})
    throw error
  }
}

/** Opens the state and the event log. A database file is locked, so that only one process uses it. */
export const openDatabase = (options: DatabaseOptions): Promise<Database> =>
  options.url.startsWith('sqlite:') ? openSqlite(options) : openPostgres(options)
