/**
 * What a process may have in memory and another process may change. `app`: the app, with all that belongs to it. `user`: the user, with the
 * access tokens and the subscriptions that are filtered to the user. `subscriptions`: those of an app. `everything`: messages may have been
 * missed. `arrival`: a process has started. `departure`: another process has ended, or may have, and its work is there to be taken over.
 * `lease`: another process has begun to work.
 */
export type Change =
  | { kind: 'webhook' | 'app' | 'replay' | 'user'; id: string }
  | { kind: 'subscriptions' | 'bearer-token'; appId: string }
  | { kind: 'user-token'; appId: string; userId: string }
  | { kind: 'everything' }
  | { kind: 'arrival' }
  | { kind: 'departure' }
  | { kind: 'lease'; worker: number }

/** Announces to every process that shares the database, this one included, what has changed. Sent by the stores, after the commit. */
export interface Changes {
  listen(heard: (change: Change) => void): void
}
