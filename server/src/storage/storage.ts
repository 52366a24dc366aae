import type { AccountHistory } from './account-history.ts'
import type { AccountMembers } from './account-members.ts'
import type { AppLoads } from './app-loads.ts'
import type { AppStore, AppUsage } from './apps.ts'
import type { AuditLog } from './audit-log.ts'
import type { BearerTokenStore } from './bearer-tokens.ts'
import type { Catalogs, ImageChecks } from './catalogs.ts'
import type { Changes } from './changes.ts'
import type { Consents } from './consents.ts'
import type { Content } from './content.ts'
import type { DueWork } from './due-work.ts'
import type { FeedChannel } from './feed-channel.ts'
import type { HourParts } from './hour-parts.ts'
import type { LogMap, LogMapStore } from './log-map.ts'
import type { Memberships } from './memberships.ts'
import type { Metadata } from './metadata.ts'
import type { NonceStore } from './nonces.ts'
import type { OAuth2Grants } from './oauth2-grants.ts'
import type { OutboxStore } from './outbox.ts'
import type { ParkedMessageStore } from './parked-messages.ts'
import type { LogListener } from './postgres/log-listener.ts'
import type { RateWindows } from './rate-windows.ts'
import type { Records } from './records.ts'
import type { ReplayJobStore } from './replay-jobs.ts'
import type { RequestTokenStore } from './request-tokens.ts'
import type { ResendJobStore } from './resend-jobs.ts'
import type { Revocations } from './revocations.ts'
import type { ScheduledFeeds } from './scheduled-feeds.ts'
import type { SharingProcess, Sizes } from './sizes.ts'
import type { Snapshots } from './snapshots.ts'
import type { StreamConnections } from './stream-connections.ts'
import type { SubscriptionStore } from './subscriptions.ts'
import type { Uploads } from './uploads.ts'
import type { UserTokenStore } from './user-tokens.ts'
import type { SessionStore, SignInAddresses, UserStore } from './users.ts'
import type { WebhookStore } from './webhooks.ts'
import type { WorkLease } from './work-lease.ts'
import type { WorldStore } from './worlds.ts'

/** The state: everything but the event log. One implementation serves SQLite and PostgreSQL. */
export interface Storage {
  apps: AppStore
  usage: AppUsage
  appLoads: AppLoads
  bearerTokens: BearerTokenStore
  requestTokens: RequestTokenStore
  userTokens: UserTokenStore
  oauth2Grants: OAuth2Grants
  revocations: Revocations
  sessions: SessionStore
  signInAddresses: SignInAddresses
  nonces: NonceStore
  users: UserStore
  webhooks: WebhookStore
  subscriptions: SubscriptionStore
  streamConnections: StreamConnections
  consents: Consents
  replayJobs: ReplayJobStore
  resendJobs: ResendJobStore
  parkedMessages: ParkedMessageStore
  accountMembers: AccountMembers
  accountHistory: AccountHistory
  /** The records of the declared types. */
  records: Records
  content: Content
  catalogs: Catalogs
  scheduledFeeds: ScheduledFeeds
  imageChecks: ImageChecks
  uploads: Uploads
  /** Scheduled posts as a queue of work; they are written as content. */
  dueScheduledPosts: DueWork
  outbox: OutboxStore
  logMap: LogMapStore
  /** Who is in which audience. */
  memberships: Memberships
  worlds: WorldStore
  audit: AuditLog
  metadata: Metadata
  /** Since when the database was a held copy when it was opened, as an ISO time; undefined or empty if it was not. */
  heldSince: string | undefined
  /** What the processes on the database were started with, as it was when the database was opened. */
  sharedSettings: string | undefined
  /** Which of several event logs had what when the database was opened. */
  logMapAtStart: LogMap | undefined
  /** Whether others shared the database when it was opened. */
  hasPeers: boolean
  rateWindows: RateWindows
  changes: Changes
  /** The worker number of this process, 0 to 63, held while the process lives. Always 0 on SQLite. */
  worker: number
  /** The worker numbers of all live processes, including this one. A frozen process does not count. */
  livingWorkers(): Promise<number[]>
  /** All processes with a worker number, a frozen one too, by their numbers. */
  processes(): Promise<SharingProcess[]>
  /** How much room the database takes. */
  sizes(): Promise<Sizes>
  /** On PostgreSQL: how old the oldest open transaction in the database is, of whoever; 0 without any. */
  oldestTransactionMs: (() => Promise<number>) | undefined
  /** Re-encrypts with the first secret every value that is sealed with another one. Returns how many, and how many no secret decrypts. */
  reencrypt(): Promise<{ reencrypted: number; unreadable: number }>
  /** Identifies the session that holds the worker number. Undefined while it is lost. Always 0 on SQLite. */
  workerSession(): number | undefined
  /** On PostgreSQL: brings the messages of the event log. */
  logListener: LogListener | undefined
  /** On PostgreSQL: what the operators' feeds of all processes tell each other. */
  feedChannel: FeedChannel | undefined
  /** On PostgreSQL: how processes ask each other how they do. */
  reportChannel: FeedChannel | undefined
  /** On PostgreSQL: what all processes counted in the last hour. */
  hourParts: HourParts | undefined
  /** Throws or rejects with `Unavailable` while another process may have this one's number: nothing with ids made from it may be written. */
  assertWorker(): Promise<void> | void
  /** Held while this process has work that others would have to take over if it died. */
  lease: WorkLease
  /** Runs `run` under a mutex that all processes of the database share. */
  runExclusively<T>(run: () => Promise<T>): Promise<T>
  /**
   * Runs writes that the next start repeats if they are lost: on SQLite all of them wait for the disk together, at the end. Nothing else may
   * be written meanwhile.
   */
  repeatably<T>(run: () => Promise<T>): Promise<T>
  /** Rejects if the database does not answer. */
  ping(): Promise<void>
  /** Deletes all rows except the recorded migrations and the value that verifies the sealing secret. For a reset in development. */
  wipe(): Promise<void>
  /** In development. A restore announces that everything has changed. */
  snapshots: Snapshots
  close(): Promise<void>
}
