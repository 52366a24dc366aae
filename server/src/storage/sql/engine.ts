import type { Kysely } from 'kysely'
import type { RateWindows } from '../rate-windows.ts'
import type { Storage } from '../storage.ts'
import type { Announcer } from './announcer.ts'
import type { Flavour } from './flavour.ts'
import type { Database } from './schema.ts'

/** The stores that are read so often that an engine keeps or gathers what they answer. */
export type RefinableStores = Pick<Storage, 'apps' | 'bearerTokens' | 'userTokens' | 'webhooks' | 'subscriptions'>

/** An open database, whichever it is, before anything was asked of it. */
export interface Engine {
  db: Kysely<Database>
  flavour: Flavour
  announcer: Announcer
  rateWindows: RateWindows
  /** The same stores, with what suits this database put before them. Once. */
  refine(stores: RefinableStores): RefinableStores
  /** Runs statements that outlast the process, though perhaps not a loss of power: where a commit waits for the disk they do not. */
  unsynced<T>(run: (db: Kysely<Database>) => Promise<T>): Promise<T>
  worker: number
  livingWorkers(): Promise<number[]>
  /** Throws `Unavailable` while this process may not be the only one with its worker number. */
  assertWorker(): void
  /** Throws when the file of the database is damaged, or is not where it was. */
  probe?(): void
  /** Once. */
  close(): Promise<void>
}
