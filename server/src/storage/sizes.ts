import type { Role } from './roles.ts'

/** Events are counted so far. */
export const MAX_COUNTED = 100_000

/** How much room the database takes. */
export interface Sizes {
  /** Files on SQLite, the largest tables with their indexes on PostgreSQL; the largest first. */
  parts: { name: string; bytes: number }[]
  totalBytes: number
  /** Of these those of the event log. */
  logBytes: number
  /** The write-ahead logs of the files, or that of the PostgreSQL server; null where this user may not ask. */
  walBytes: number | null
  /** The disk of the files; null where this process does not know it. */
  disk: { freeBytes: number; totalBytes: number } | null
}

/** How statements waited for a connection of one pool, because all of them were in use. */
export interface PoolWaits {
  pool: string
  /** Waiting now. */
  waiting: number
  /** Those that had to wait since the start, and for how long in all. */
  waits: number
  waitedMs: number
}

/** A process that shares the database. */
export interface SharingProcess {
  worker: number
  /** When the session began that holds its number; null where it is this process alone. */
  sessionSinceMs: number | null
  /** When that session was last used. */
  heardMs: number | null
  version: string | null
  /** Null if its session does not tell. */
  roles: readonly Role[] | null
  /** Where it runs: the name of the machine, and the id of the process there. Null of a process of version 0.2. */
  host: string | null
  pid: number | null
  /** It does not renew its lease: others have taken over its work. */
  isFrozen: boolean
}
