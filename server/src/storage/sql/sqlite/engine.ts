import { hostname } from 'node:os'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Kysely } from 'kysely'
import type { Clock } from '../../../lib/clock.ts'
import { makePrivateFolder } from '../../../lib/private-folder.ts'
import { isDamage, nameDamage } from '../../files/damage.ts'
import { lockFile } from '../../files/file-lock.ts'
import { assertOwnWal, assertWriteAheadLog, keepOpenMark, markClosed, type OpenMark } from '../../files/open-mark.ts'
import { ownFile } from '../../files/own-file.ts'
import { createFileProbe } from '../../files/probe-file.ts'
import type { Migrated } from '../../migrate.ts'
import { roleNames } from '../../roles.ts'
import type { SharingProcess } from '../../sizes.ts'
import type { StorageLog } from '../../storage-log.ts'
import { isFileFull } from '../../unavailable.ts'
import { noLease } from '../../work-lease.ts'
import { createLocalAnnouncer } from '../announcer.ts'
import { cacheApps } from '../caches/cached-apps.ts'
import { cacheCandidates } from '../caches/cached-candidates.ts'
import { cacheConsents } from '../caches/cached-consents.ts'
import { cacheBearerTokens, cacheOAuth2Grants, cacheUserTokens } from '../caches/cached-tokens.ts'
import { cacheWebhooks } from '../caches/cached-webhooks.ts'
import type { Engine, MemoryTables } from '../engine.ts'
import { sqliteFlavour } from '../flavour.ts'
import { openSqliteMemberships } from '../memberships/sqlite/open-sqlite-memberships.ts'
import { createMemoryRateWindows, type WindowCopy } from '../rate-windows/memory-rate-windows.ts'
import { runAll } from '../run-all.ts'
import type { Database } from '../schema.ts'
import { createNonceStore, insertNoncesOfFile, nonceStatement } from '../stores/nonce-store.ts'
import { createSqliteDialect } from './dialect.ts'
import { readFileSizes } from './file-sizes.ts'
import { createFileSnapshots } from './file-snapshots.ts'
import { createReadRows } from './read-rows.ts'
import { createUnsyncedStatement, createWithoutSync } from './without-sync.ts'

interface Kept {
  bytes: Uint8Array
  migrated: Migrated
}

/** A process has one declaration; the tests of this repository have some more. */
const MOST_KEPT = 4

/** By declaration. What is kept holds no row but those that every migration makes, and follows from the code alone. */
const kept = new Map<string, Kept>()

/** Node before 26.1 can write a database in memory only by statements. */
const memoryTables = (file: DatabaseSync): MemoryTables | undefined =>
  typeof file.deserialize === 'function'
    ? {
        copy(declaration) {
          const found = kept.get(declaration)
          if (found) file.deserialize(found.bytes)
          return found?.migrated
        },
        keep(declaration, migrated) {
          if (kept.size < MOST_KEPT) kept.set(declaration, { bytes: file.serialize(), migrated })
        },
      }
    : undefined

/** How long a statement waits for another process that has locked the file. */
const BUSY_TIMEOUT_MS = 5000

/** Opens a database file, or `:memory:`. A commit that returned survives a power failure. */
export function openSqliteFile(path: string): DatabaseSync {
  const file = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS })
  try {
    file.exec('pragma journal_mode = WAL; pragma synchronous = FULL; pragma foreign_keys = ON; pragma wal_autocheckpoint = 4000')
    return file
  } catch (error) {
    file.close()
    throw error
  }
}

export interface SqliteEngineOptions {
  /** The file, or `:memory:`. */
  path: string
  clock: Clock
  log?: StorageLog | undefined
  /** The id of a lost write-ahead log of the file whose loss the operator accepts. */
  acceptedLoss?: string | undefined
}

/** Opens and locks the file for this process, creating it and its folder if needed. The file is marked while it is open. */
async function takeFile({ path, log, acceptedLoss }: SqliteEngineOptions) {
  makePrivateFolder(dirname(path))
  const place = ownFile(path, log)
  const lock = await lockFile(place)
  try {
    assertOwnWal(place, `${place}.events`)
    const warning = assertWriteAheadLog(place, acceptedLoss)
    if (warning) log?.warn({}, warning)
    const file = openSqliteFile(place)
    let mark: OpenMark | undefined
    try {
      mark = keepOpenMark(file, place)
      return { file, place, lock, mark }
    } catch (error) {
      markClosed(file)
      file.close()
      mark?.release()
      throw error
    }
  } catch (error) {
    lock.release()
    throw nameDamage(error, 'database', place)
  }
}

const inMemory = () => ({
  file: openSqliteFile(':memory:'),
  place: ':memory:',
  lock: undefined,
  mark: undefined,
})

/** Explains errors of SQLite or the system. Postern's own errors are unchanged. */
function explainOpening(path: string, cause: Error & { errcode?: number; code?: string }): Error {
  if (isDamage(cause.errcode) || (cause.errcode ?? cause.code) === undefined) return cause
  const remedy = isFileFull(cause) ? 'Make room on its disk.' : 'Check POSTERN_DATABASE_URL.'
  return new Error(`The SQLite database ${path} cannot be opened: ${cause.message}. ${remedy}`, { cause })
}

/** The one process of a file. */
const ownProcess = (): SharingProcess => ({
  worker: 0,
  sessionSinceMs: null,
  heardMs: null,
  version: null,
  roles: roleNames,
  host: hostname(),
  pid: process.pid,
  isFrozen: false,
})

/** Opens a SQLite file, which only one process can use. */
export async function openSqliteEngine(options: SqliteEngineOptions): Promise<Engine> {
  const { path, clock, log } = options
  const taking = path === ':memory:' ? Promise.resolve(inMemory()) : takeFile(options)
  const { file, place, lock, mark } = await taking.catch((cause) => {
    throw explainOpening(path, cause)
  })
  const seen = lock && createFileProbe(place, 'database')
  const announcer = createLocalAnnouncer(log)
  const rateWindows = createMemoryRateWindows()
  let clearedTo: WindowCopy | undefined
  announcer.listen(({ kind }) => {
    if (kind !== 'everything') return
    rateWindows.clear(clearedTo)
    clearedTo = undefined
  })
  const connection = { file, path: place, committed: () => mark?.again() }
  const db = new Kysely<Database>({ dialect: createSqliteDialect(connection) })
  const withoutSync = createWithoutSync(db, file)
  const reads = createReadRows(db, { file, path: place, busyMs: BUSY_TIMEOUT_MS, assertExists: () => seen?.assertExists() })
  const memberships = await openSqliteMemberships(place, log)
  return {
    clock,
    db,
    transactions: db,
    maintenance: db,
    readRows: reads.readRows,
    flavour: sqliteFlavour,
    announcer,
    rateWindows,
    nonces: createNonceStore(
      insertNoncesOfFile(createUnsyncedStatement(db, connection, nonceStatement)),
      { unannounced: db, flavour: sqliteFlavour },
      clock,
    ),
    memberships,
    refine: ({ apps, bearerTokens, userTokens, oauth2Grants, webhooks, subscriptions, consents, ...others }) => ({
      ...others,
      apps: cacheApps(apps, announcer),
      bearerTokens: cacheBearerTokens(bearerTokens, announcer, clock),
      userTokens: cacheUserTokens(userTokens, announcer),
      oauth2Grants: cacheOAuth2Grants(oauth2Grants, announcer),
      webhooks: cacheWebhooks(webhooks, announcer),
      subscriptions: cacheCandidates(subscriptions, announcer),
      consents: cacheConsents(consents, announcer),
    }),
    ...withoutSync,
    worker: 0,
    livingWorkers: async () => [0],
    processes: async () => [ownProcess()],
    peers: [],
    sizes: () => readFileSizes(place),
    workerSession: () => 0,
    assertWorker: () => seen?.assertExists(),
    lease: noLease,
    snapshots: (copied) => createFileSnapshots({ db, file, rateWindows, copied, clearTo: (windows) => (clearedTo = windows) }),
    ...(path === ':memory:' && { memoryTables: memoryTables(file) }),
    ready: (releases) => runAll(db, sqliteFlavour, releases),
    probe() {
      seen?.assertExists()
      seen?.readUncached(['select count(*) from metadata', 'select max(rowid) from audit_log'])
    },
    async close() {
      reads.close()
      try {
        await memberships.close()
        if (lock) markClosed(file)
      } finally {
        await db.destroy()
        mark?.release()
        lock?.release()
      }
    },
  }
}
