import type { WorkQueue } from './due-work.ts'

/**
 * A change that other processes may have to react to, mostly by invalidating a cache.
 *
 *   webhook, app, replay, bearer-token, user-token   that record changed; app: with all records of the app
 *   user            the user changed, with its access tokens and the subscriptions filtered to it
 *   subscriptions   the subscriptions of an app changed
 *   resend          a job to resend was made
 *   logs            which event log has what changed
 *   streams         apps began to use their streams
 *   everything      messages may have been missed: anything may have changed
 *   arrival         a process has started
 *   departure       another process has ended, or may have: its work can be taken over
 *   lease           another process has begun to hold work
 *   idle            another process holds no work any more: it may have planned some
 *   due             work was added to a queue
 */
export type Change =
  | { kind: 'webhook' | 'app' | 'replay' | 'resend' | 'user'; id: string }
  | { kind: 'subscriptions' | 'bearer-token'; appId: string }
  | { kind: 'user-token'; appId: string; userId: string }
  | { kind: 'streams' }
  | { kind: 'logs' }
  | { kind: 'everything' }
  | { kind: 'arrival' }
  | { kind: 'departure' }
  | { kind: 'lease'; worker: number }
  | { kind: 'idle' }
  | { kind: 'due'; queue: WorkQueue }

/** Change notifications. The stores send them after the commit, to every process that shares the database, including this one. */
export interface Changes {
  listen(listener: (change: Change) => void): void
  /**
   * Whether this process hears of each change before it is answered. Otherwise some may have been missed, and the database has to be asked. Ask
   * at each use: what proves it is only sent while somebody asks.
   */
  hearsAll(): boolean
}
