import type { Kysely } from 'kysely'
import type { Seal } from '../../lib/seal.ts'
import type { RateWindows } from '../rate-windows.ts'
import type { Storage } from '../storage.ts'
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
  db: Kysely<Database>
  flavour: Flavour
  announcer: Announcer
  rateWindows: RateWindows
  /** The same stores, with what suits this database put before them. Once. */
  refine(stores: RefinableStores, seal: Seal): RefinableStores
  /** Runs statements that outlast the process, though perhaps not a loss of power: where a commit waits for the disk they do not. */
  unsynced<T>(run: (db: Kysely<Database>) => Promise<T>): Promise<T>
  worker: number
  livingWorkers(): Promise<number[]>
  /** Throws `Unavailable` while this process may not be the only one with its worker number. */
  assertWorker(): void
  /** Once. */
  close(): Promise<void>
}
