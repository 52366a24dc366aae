import type { Kysely } from 'kysely'
import type { Clock } from '../../lib/clock.ts'
import type { Seal } from '../../lib/seal.ts'
import type { Copied } from '../files/table-copies.ts'
import type { Memberships } from '../memberships.ts'
import type { Migrated } from '../migrate.ts'
import type { NonceStore } from '../nonces.ts'
import type { RateWindows } from '../rate-windows.ts'
import type { PeerRelease } from '../schema-changes.ts'
import type { Snapshots } from '../snapshots.ts'
import type { Storage } from '../storage.ts'
import type { WorkLease } from '../work-lease.ts'
import type { Announcer } from './announcer.ts'
import type { Flavour } from './flavour.ts'
import type { ReadRows } from './read-rows.ts'
import type { Database } from './schema.ts'

/** The stores that requests read. An engine caches them or batches their queries. */
export type RefinableStores = Pick<
  Storage,
  | 'apps'
  | 'bearerTokens'
  | 'requestTokens'
  | 'userTokens'
  | 'oauth2Grants'
  | 'sessions'
  | 'users'
  | 'webhooks'
  | 'subscriptions'
  | 'consents'
  | 'accountMembers'
  | 'records'
  | 'content'
>

/** Makes the tables of a database in memory from those of another: the bytes of its file, as it was when it was migrated. */
export interface MemoryTables {
  /** Takes over the tables that were made for the same declaration; undefined where there were none. The database must be empty. */
  copy(declaration: string): Migrated | undefined
  /** Keeps the tables as they are now, for the next database of this process. */
  keep(declaration: string, migrated: Migrated): void
}

/** An open SQLite or PostgreSQL database. */
export interface Engine {
  clock: Clock
  /** For single statements. */
  db: Kysely<Database>
  /** For transactions. Separate, so that waiting for a row does not delay single statements. */
  transactions: Kysely<Database>
  /** For long statements at the start or by an operator. */
  maintenance: Kysely<Database>
  /** For reads whose rows are arrays: no statement is built for them each time, and no object for each row. */
  readRows: ReadRows
  flavour: Flavour
  announcer: Announcer
  rateWindows: RateWindows
  nonces: NonceStore
  memberships: Memberships
  /** Wraps the stores with caches or batching, whichever suits this database. Call it once. */
  refine(stores: RefinableStores, seal: Seal): RefinableStores
  /** Runs statements whose commits do not wait for the disk: they survive the process, but maybe not a power failure. */
  unsynced<T>(run: (db: Kysely<Database>) => Promise<T>): Promise<T>
  /** Runs writes that the next start repeats if a power failure loses them, where that is quicker. */
  repeatably?: Storage['repeatably']
  worker: number
  livingWorkers(): Promise<number[]>
  processes: Storage['processes']
  /** The other processes that used the database when this one began to. */
  peers: readonly PeerRelease[]
  sizes: Storage['sizes']
  oldestTransactionMs?: Storage['oldestTransactionMs']
  workerSession: Storage['workerSession']
  logListener?: Storage['logListener']
  feedChannel?: Storage['feedChannel']
  reportChannel?: Storage['reportChannel']
  hourParts?: Storage['hourParts']
  /** Throws or rejects with `Unavailable` while this process may not be the only one with its worker number. */
  assertWorker(): Promise<void> | void
  lease: WorkLease
  /** Copies of the rows of the tables that `copied` has a condition for. */
  snapshots(copied: Copied): Snapshots
  /** Of a database in memory, which is always new. */
  memoryTables?: MemoryTables | undefined
  /** Call it once the tables exist. First runs these statements, which release what a dead process with this worker number left. */
  ready(releases: readonly string[]): Promise<void>
  /** Throws if the database file is damaged, deleted or replaced, or if the server takes no writes. */
  probe(): Promise<void> | void
  /** Once. */
  close(): Promise<void>
}
