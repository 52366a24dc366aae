import type { Kysely } from 'kysely'
import type { Announcer } from './announcer.ts'
import type { Flavour } from './flavour.ts'
import type { Database } from './schema.ts'

/** An open database, whichever it is, before anything was asked of it. */
export interface Engine {
  db: Kysely<Database>
  flavour: Flavour
  announcer: Announcer
  worker: number
  livingWorkers(): Promise<number[]>
  /** Throws `Unavailable` while this process may not be the only one with its worker number. */
  assertWorker(): void
  /** Once. */
  close(): Promise<void>
}
