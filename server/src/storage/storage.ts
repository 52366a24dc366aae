import type { AccountHistory } from './account-history.ts'
import type { AccountMembers } from './account-members.ts'
import type { AppStore } from './apps.ts'
import type { AuditLog } from './audit-log.ts'
import type { BearerTokenStore } from './bearer-tokens.ts'
import type { Changes } from './changes.ts'
import type { Metadata } from './metadata.ts'
import type { NonceStore } from './nonces.ts'
import type { RateWindows } from './rate-windows.ts'
import type { Records } from './records.ts'
import type { ReplayJobStore } from './replay-jobs.ts'
import type { RequestTokenStore } from './request-tokens.ts'
import type { Revocations } from './revocations.ts'
import type { SessionStore } from './sessions.ts'
import type { SubscriptionStore } from './subscriptions.ts'
import type { UserTokenStore } from './user-tokens.ts'
import type { UserStore } from './users.ts'
import type { WebhookStore } from './webhooks.ts'
import type { WorkLease } from './work-lease.ts'

/** The state of a Postern: everything but the event log. One implementation serves SQLite and PostgreSQL. */
export interface Storage {
  apps: AppStore
  bearerTokens: BearerTokenStore
  requestTokens: RequestTokenStore
  userTokens: UserTokenStore
  revocations: Revocations
  sessions: SessionStore
  nonces: NonceStore
  users: UserStore
  webhooks: WebhookStore
  subscriptions: SubscriptionStore
  replayJobs: ReplayJobStore
  accountMembers: AccountMembers
  accountHistory: AccountHistory
  /** The records of declared kinds. */
  records: Records
  audit: AuditLog
  metadata: Metadata
  rateWindows: RateWindows
  changes: Changes
  /** The number of this process among those that share the database: 0 to 63, held while the process lives. Always 0 on SQLite. */
  worker: number
  /** The worker numbers of all processes that live and are not frozen, this one's included. */
  livingWorkers(): Promise<number[]>
  /** Seals with the first secret what is sealed with another: how many values that were, and how many no secret opens. */
  reencrypt(): Promise<{ reencrypted: number; unreadable: number }>
  /** Throws or rejects with `Unavailable` while another process may have this one's number: nothing that is made with it may be written. */
  assertWorker(): Promise<void> | void
  /** Held while this process has work that others would have to take over. */
  lease: WorkLease
  /** Runs `run` under a mutex that all processes of the database share. */
  runExclusively<T>(run: () => Promise<T>): Promise<T>
  /** Rejects when the database does not answer. */
  ping(): Promise<void>
  /** Deletes every row of every table but those that say which migrations have run and that prove the sealing secret. For a reset in development. */
  wipe(): Promise<void>
  close(): Promise<void>
}
