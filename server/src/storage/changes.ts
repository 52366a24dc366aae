/**
 * What a process may have in memory and another process may change. `everything`: messages may have been missed. `arrival`: a process
 * has come. `departure`: another process has gone, or may have, and what it held or worked on is there to be taken. `lease`: another process has begun to work.
 */
export type Change =
  | { kind: 'webhook' | 'app' | 'replay'; id: string }
  | { kind: 'everything' }
  | { kind: 'arrival' }
  | { kind: 'departure' }
  | { kind: 'lease'; worker: number }

/** Tells every process that shares the database, this one included, what has changed. Sent by the stores themselves, after the commit. */
export interface Changes {
  listen(heard: (change: Change) => void): void
}
