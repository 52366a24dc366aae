import type { ColumnType, Generated, Insertable, Selectable } from 'kysely'
import type { ChangeType } from '../account-history.ts'
import type { Role } from '../account-members.ts'
import type { AppPermissions } from '../apps.ts'
import type { ReplayState } from '../replay-jobs.ts'
import type { Direction } from '../subscriptions.ts'

/** SQLite answers 0 and 1, PostgreSQL false and true: read it with `Boolean`. */
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
}

interface BearerTokensTable {
  app_id: string
  /** In hexadecimal. */
  token_sha256: string
  token_sealed: string
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

interface SessionsTable {
  /** In hexadecimal. */
  id_sha256: string
  user_id: string
  expires_at_ms: number
}

interface NoncesTable {
  key: string
  expires_at_ms: number
}

interface UsersTable {
  id: string
  username: string
  /** The username in lower case. */
  username_key: string
  name: string
  password_hash: string | null
  created_at_ms: number
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
  /** How many challenges were begun, that of the registration not counted. */
  challenges_begun: Generated<number>
  /** Which of them decided `valid`; 0 for that of the registration. */
  decided_by: Generated<number>
  /** When the last challenge that counts ended; null before the first. */
  last_challenge_at_ms: number | null
  /** Why it failed; null when it passed. */
  last_challenge_failure: string | null
}

/** What a filter leaves out is stored as '', so that equality finds it. */
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
  /** The number of the process that has the job. */
  worker: number | null
}

interface AuditLogTable {
  number: Generated<number>
  at_ms: number
  action: string
  status: number
  detail: string
}

interface MetadataTable {
  name: string
  value: string
}

/** What an account is listed by stands beside each member; the account itself is a declared kind. */
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

/** On PostgreSQL only: the one process of a SQLite file counts in memory. */
interface RateWindowsTable {
  key: string
  count: number
  reset_at_ms: number
}

/** The tables as the newest migration leaves them; those of declared record types come besides. Times are milliseconds since 1970. */
export interface Database {
  apps: AppsTable
  bearer_tokens: BearerTokensTable
  request_tokens: RequestTokensTable
  user_tokens: UserTokensTable
  sessions: SessionsTable
  nonces: NoncesTable
  users: UsersTable
  webhooks: WebhooksTable
  subscriptions: SubscriptionsTable
  replay_jobs: ReplayJobsTable
  audit_log: AuditLogTable
  account_members: AccountMembersTable
  account_history: AccountHistoryTable
  metadata: MetadataTable
  rate_windows: RateWindowsTable
}

export type Row<Table extends keyof Database> = Selectable<Database[Table]>
export type NewRow<Table extends keyof Database> = Insertable<Database[Table]>
