/** What a process may have in memory and another process may change. `everything`: messages may have been missed. */
export type Change = { kind: 'webhook'; id: string } | { kind: 'app'; id: string } | { kind: 'replay'; id: string } | { kind: 'everything' }

/** Tells every process that shares the database, this one included, what has changed. Sent by the stores themselves, after the commit. */
export interface Changes {
  listen(heard: (change: Change) => void): void
}
