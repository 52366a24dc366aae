import type { Kysely } from 'kysely'
import type { Clock } from '../../lib/clock.ts'
import type { Seal } from '../../lib/seal.ts'
import type { RateWindows } from '../rate-windows.ts'
import type { Storage } from '../storage.ts'
import type { WorkLease } from '../work-lease.ts'
import type { Announcer } from './announcer.ts'
import type { Flavour } from './flavour.ts'
import type { Database } from './schema.ts'

/** The stores that requests read: an engine caches what they answer, or asks for many requests at once. */
export type RefinableStores = Pick<
  Storage,
  | 'apps'
  | 'bearerTokens'
  | 'requestTokens'
  | 'userTokens'
  | 'sessions'
  | 'users'
  | 'webhooks'
  | 'subscriptions'
  | 'accountMembers'
  | 'records'
>

/** An open database, whichever it is, before anything was asked of it. */
export interface Engine {
  clock: Clock
  /** For single statements. */
  db: Kysely<Database>
  /** For transactions: whoever waits for a row here keeps no single statement waiting. */
  transactions: Kysely<Database>
  /** For what is done at a start or by an operator, and takes its time. */
  maintenance: Kysely<Database>
  flavour: Flavour
  announcer: Announcer
  rateWindows: RateWindows
  /** The same stores, with what suits this database put before them. Once. */
  refine(stores: RefinableStores, seal: Seal): RefinableStores
  /** Runs statements that outlast the process, though perhaps not a loss of power: where a commit waits for the disk they do not. */
  unsynced<T>(run: (db: Kysely<Database>) => Promise<T>): Promise<T>
  worker: number
  livingWorkers(): Promise<number[]>
  /** Throws or rejects with `Unavailable` while this process may not be the only one with its worker number. */
  assertWorker(): Promise<void> | void
  lease: WorkLease
  /** To be called once the tables are there. */
  ready(): Promise<void>
  /** Throws when the file of the database is damaged, or is not where it was. */
  probe?(): void
  /** Once. */
  close(): Promise<void>
}
