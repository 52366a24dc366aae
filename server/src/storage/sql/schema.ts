import type { ColumnType, Generated, Insertable, Selectable } from 'kysely'
import type { ChallengeMethod } from '../../lib/pkce.ts'
import type { ChangeType } from '../account-history.ts'
import type { Role } from '../account-members.ts'
import type { AppPermissions, OAuth2ClientType } from '../apps.ts'
import type { FailedAttempts } from '../audit-log.ts'
import type { ProcessingStatus, ProductSet } from '../catalogs.ts'
import type { ReplayCreator, ReplayState } from '../replay-jobs.ts'
import type { ResendState } from '../resend-jobs.ts'
import type { FeedState, ScheduledFeed } from '../scheduled-feeds.ts'
import type { Direction } from '../subscriptions.ts'
import type { UploadState } from '../uploads.ts'

/** SQLite returns 0 and 1, PostgreSQL false and true: read it with `Boolean`. */
type Flag = ColumnType<boolean | 0 | 1, boolean, boolean>

/** A list of texts, as JSON. */
type JsonList = string

interface AppsTable {
  id: string
  name: string
  consumer_key: string
  consumer_secret_sealed: string
  previous_consumer_secret_sealed: string | null
  previous_secret_until_ms: number | null
  callback_urls: JsonList
  permissions: AppPermissions
  sign_in_with_service: Flag
  webhook_limit: number
  ads_access: Flag
  early_access: JsonList
  suspended: Flag
  created_at_ms: number
  secret_version: number
  activity_enrolled: Flag
  usage_cap: number | null
  event_quota: number | null
  delivery_quota: number | null
  row_quota: number | null
  oauth2_client_id: string | null
  oauth2_client_type: OAuth2ClientType | null
  /** Null for a public client. */
  oauth2_client_secret_sealed: string | null
  /** When it was last seen using its stream; null if it never was. */
  streamed_at_ms: Generated<number | null>
  portal_generation: number
}

interface StreamConnectionsTable {
  id: string
  app_id: string
  worker: number
  created_at_ms: number
}

/** One row for each app that has a usage cap or a quota by month, of its current month. */
interface AppUsageTable {
  app_id: string
  /** `202603` for March 2026, in UTC. */
  month: number
  deliveries: number
  events: Generated<number>
}

/** What processes counted for their apps: `counts` is JSON of `metrics/app-load.ts`. */
interface AppLoadsTable {
  process: string
  part: number
  /** The first minute, counted since 1970. */
  bucket: number
  minutes: number
  counts: string
}

interface BearerTokensTable {
  app_id: string
  /** In hexadecimal. */
  token_sha256: string
  token_sealed: string
  /** The oldest version of the app's secret that it was given to. */
  secret_version: number
}

interface RequestTokensTable {
  /** In hexadecimal. */
  token_sha256: string
  secret_sealed: string
  app_id: string
  callback: string
  access: AppPermissions
  expires_at_ms: number
  /** Who granted it; null until then. */
  user_id: string | null
  verifier_sealed: string | null
  wrong_verifiers: number
}

interface UserTokensTable {
  /** In hexadecimal. */
  token_sha256: string
  token_sealed: string
  secret_sealed: string
  app_id: string
  user_id: string
  access: AppPermissions
  created_at_ms: number
}

interface OAuth2CodesTable {
  /** In hexadecimal. */
  code_sha256: string
  app_id: string
  user_id: string
  /** With spaces between. */
  scopes: string
  redirect_uri: string
  challenge: string
  challenge_method: ChallengeMethod
  expires_at_ms: number
}

interface OAuth2GrantsTable {
  id: string
  app_id: string
  user_id: string
  /** With spaces between, in the spelling of the dialect `spec`. */
  scopes: string
  /** The code that it was exchanged for, by which a second exchange is noticed. */
  code_sha256: string
  /** The refresh token that is valid; null where there is none. */
  refresh_sha256: string | null
  /** The refresh tokens that were replaced just now, as JSON: pairs of their SHA-256 and when. Null where none was. */
  former_tokens: string | null
  /** When a refresh token was replaced last; null where none was. For processes of version 0.2, and written by them. */
  rotated_at_ms: number | null
  created_at_ms: number
  expires_at_ms: number
}

interface OAuth2AccessTokensTable {
  /** In hexadecimal. */
  token_sha256: string
  grant_id: string
  /** Those of the grant, or fewer. */
  scopes: string
  expires_at_ms: number
}

interface SessionsTable {
  /** In hexadecimal. */
  id_sha256: string
  user_id: string
  expires_at_ms: number
}

interface NoncesTable {
  key: string
  expires_at_ms: number
  request_id: number | null
}

interface UsersTable {
  id: string
  username: string
  /** The username in lower case. */
  username_key: string
  name: string
  password_hash: string | null
  created_at_ms: number
  disabled: Flag
}

/** What a user shows, one row for each user; a new one has empty texts. The content store reads and writes it. */
interface ProfilesTable {
  user_id: string
  description: string
  location: string
  url: string
  profile_image_url: string
  profile_banner_url: string
  entities: string | null
  protected: Flag
  verified: Flag
  verified_type: string
  receives_dms: Flag
  followers_count: number
  following_count: number
  post_count: number
  listed_count: number
  like_count: number
  media_count: number
}

interface WebhooksTable {
  id: string
  app_id: string
  url: string
  normal_url: string
  valid: Flag
  created_at_ms: number
  next_challenge_at_ms: number | null
  proven_secret_version: number
  /** How many challenges have begun, without that of the registration. */
  challenges_begun: Generated<number>
  /** The number of the challenge that decided `valid`; 0 for that of the registration. */
  decided_by: Generated<number>
  /** When the last challenge that counts ended; null before the first. */
  last_challenge_at_ms: number | null
  /** Why it failed; null when it passed. */
  last_challenge_failure: string | null
  /** Lines of JSON, the newest first; the last one may be cut. */
  challenge_history: Generated<string>
}

/** Missing members of a filter are stored as '', so that they can be compared. */
interface SubscriptionsTable {
  id: string
  app_id: string
  webhook_id: string | null
  event_type: string
  user_id: string
  keyword: string
  direction: Direction | ''
  tag: string | null
  created_at_ms: number
  updated_at_ms: number
}

interface ReplayJobsTable {
  id: string
  app_id: string
  webhook_id: string
  from_ms: number
  to_ms: number
  state: ReplayState
  position: number
  delivered: number
  failed: number
  created_at_ms: number
  finished_at_ms: number | null
  reported: Flag
  /** The worker number of the process that has the job. */
  worker: number | null
  created_by: Generated<ReplayCreator>
}

interface ResendJobsTable {
  id: string
  app_id: string | null
  event_type: string | null
  /** Comma separated. */
  states: string
  from_ms: number
  to_ms: number
  state: ResendState
  place: string | null
  resent: number
  refused: number
  /** The worker number of the process that has the job. */
  worker: number | null
  created_at_ms: number
  finished_at_ms: number | null
}

interface ParkedMessagesTable {
  id: string
  stream: string
  stream_life: string
  sequence: number
  subject: string
  reason: string
  bytes: number
  content: string
  received_at_ms: number
  parked_at_ms: number
}

export interface AuditLogTable {
  number: Generated<number>
  at_ms: number
  action: string
  status: number
  detail: string
  /** Null for the unnamed token. */
  token_name: string | null
  address: string | null
  app_id: string | null
  user_id: string | null
  /** JSON; null where no change is known. */
  changes: string | null
}

interface FailedAttemptsTable {
  number: Generated<number>
  hour_ms: number
  kind: FailedAttempts['kind']
  address: string
  count: number
}

/** The SHA-256 is of the user's id and the address, in hexadecimal. */
interface SignInAddressesTable {
  user_id: string
  address_sha256: string
  last_at_ms: number
}

interface MetadataTable {
  name: string
  value: string
}

/** Each member has a copy of the columns by which accounts are listed. The account itself is a declared record type. */
interface AccountMembersTable {
  user_id: string
  account_id: string
  role: Role
  permissions: JsonList
  host: string
  hidden: Flag
  deleted: Flag
  created_at_ms: number
  updated_at_ms: number
  name: string
  name_key: string
}

interface AccountHistoryTable {
  number: Generated<number>
  account_id: string
  entity: string
  entity_id: string
  change_type: ChangeType
  user_id: string
  at_ms: number
  /** JSON, as is `entity_data`. */
  changes: string
  entity_data: string
}

/** PostgreSQL only: the single process of a SQLite file counts in memory. */
interface RateWindowsTable {
  key: string
  count: number
  reset_at_ms: number
}

/** Work that is due: the worker number of the process that has claimed it until `due_at_ms`, if any. Null `due_at_ms`: nothing is due. */
interface DueColumns {
  due_at_ms: number | null
  worker: number | null
}

/** Due: the catalog was deleted, and what it has is deleted in slices. */
interface ProductCatalogsTable extends DueColumns {
  id: string
  /** Of a deleted one its own, so that its user can have another, and no process finds it. */
  host: string
  user_id: string
  name: string
  /** The position of the next new product. */
  next_position: number
  created_at_ms: number
}

interface ProductsTable {
  product_key: string
  catalog_id: string
  id: string
  position: number
  item_group_id: string | null
  item_group_key: string | null
  /** JSON of the attributes that are set. */
  attributes: string
}

interface ProductSetsTable extends DueColumns {
  id: string
  catalog_id: string
  name: string
  description: string | null
  type: ProductSet['type']
  /** JSON. */
  filters: string
  processing_status: ProcessingStatus
  /** Products up to this position are filtered into the set. */
  processed_to: number
  created_at_ms: number
}

interface ProductSetMembersTable {
  set_id: string
  product_key: string
}

interface ScheduledFeedsTable extends DueColumns {
  id: string
  catalog_id: string
  feed_url: string
  feed_format: ScheduledFeed['feedFormat']
  frequency: ScheduledFeed['frequency']
  repeat: string | null
  start_time: string
  time_zone: string
  created_at_ms: number
  updated_at_ms: number
}

interface FeedReportsTable {
  id: string
  feed_id: string
  state: FeedState
  started_at_ms: number
  finished_at_ms: number | null
  failure: string | null
  rows: number
  created: number
  updated: number
  unchanged: number
  failed: number
  /** JSON. */
  row_errors: string
}

interface ImageChecksTable extends DueColumns {
  /** In hexadecimal. */
  url_sha256: string
  url: string
  checked_at_ms: number | null
  problem: string | null
  /** The catalog that asked for the check which it waits for. */
  requested_by: Generated<string>
}

/** What the finished uploads of users come to: nobody sums them up again. */
interface UploadTotalsTable {
  owner_id: string
  bytes: number
}

interface UploadsTable extends DueColumns {
  id: string
  owner_id: string
  media_key: string
  category: string | null
  media_type: string | null
  /** JSON. */
  additional_owners: string
  total_bytes: number
  received_bytes: number
  state: UploadState
  revision: number
  progress: number
  error: string | null
  /** JSON. */
  kind: string | null
  created_at_ms: number
  expires_at_ms: number
}

interface UploadSegmentsTable {
  upload_id: string
  position: number
  file_key: string
  size: number
}

/** Only what is read of it as a queue of work; the rest is described in `content-tables.ts`. */
interface ScheduledPostsTable extends DueColumns {
  id: string
}

interface OutboxTable extends DueColumns {
  event_uuid: string
  event_type: string
  user_id: string
  /** JSON. */
  body: string
}

/** The tables after the newest migration, without those of declared record types. Times are milliseconds since 1970. */
export interface Database {
  apps: AppsTable
  app_usage: AppUsageTable
  app_loads: AppLoadsTable
  bearer_tokens: BearerTokensTable
  request_tokens: RequestTokensTable
  user_tokens: UserTokensTable
  oauth2_codes: OAuth2CodesTable
  oauth2_grants: OAuth2GrantsTable
  oauth2_access_tokens: OAuth2AccessTokensTable
  sessions: SessionsTable
  nonces: NoncesTable
  users: UsersTable
  profiles: ProfilesTable
  webhooks: WebhooksTable
  subscriptions: SubscriptionsTable
  replay_jobs: ReplayJobsTable
  resend_jobs: ResendJobsTable
  parked_messages: ParkedMessagesTable
  audit_log: AuditLogTable
  failed_attempts: FailedAttemptsTable
  sign_in_addresses: SignInAddressesTable
  account_members: AccountMembersTable
  account_history: AccountHistoryTable
  metadata: MetadataTable
  product_catalogs: ProductCatalogsTable
  products: ProductsTable
  product_sets: ProductSetsTable
  product_set_members: ProductSetMembersTable
  scheduled_feeds: ScheduledFeedsTable
  feed_reports: FeedReportsTable
  image_checks: ImageChecksTable
  uploads: UploadsTable
  upload_totals: UploadTotalsTable
  upload_segments: UploadSegmentsTable
  scheduled_posts: ScheduledPostsTable
  outbox: OutboxTable
  stream_connections: StreamConnectionsTable
  rate_windows: RateWindowsTable
}

export type Row<Table extends keyof Database> = Selectable<Database[Table]>
export type NewRow<Table extends keyof Database> = Insertable<Database[Table]>
