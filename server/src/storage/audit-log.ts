/** One call of an operator endpoint. Never holds a secret. */
export interface AuditEntry {
  atMs: number
  action: string
  status: number
  detail: string
  /** The name of the operator token; null for the unnamed one. */
  tokenName: string | null
  /** The client's address; null in entries from before addresses were recorded. */
  address: string | null
  /** The app and the user that it was about, where there is one. */
  appId: string | null
  userId: string | null
  /** What it changed. */
  changes: readonly FieldChange[]
}

/** A field that changed. Before and after are JSON; both are null for a secret. */
export interface FieldChange {
  field: string
  before: string | null
  after: string | null
}

/** Which entries: all of these hold. */
export interface AuditFilter {
  action?: string
  /** The name of the token; null for the unnamed one. */
  tokenName?: string | null
  /** The id of an app or a user. */
  target?: string
  fromMs?: number
  /** Exclusive. */
  toMs?: number
}

/** What credentials were wrong: a password, an app's key or secret (HTTP Basic), an OAuth 2.0 client id or secret, an OAuth 1.0a signature, or an operator token. */
export const failureKinds = ['password', 'app_secret', 'client_secret', 'signature', 'operator_token'] as const

/** Wrong credentials of one kind from one address within an hour. */
export interface FailedAttempts {
  /** When the hour began. */
  hourMs: number
  kind: (typeof failureKinds)[number]
  /** An IPv4 address, an IPv6 network of 64 bits, or `others`. */
  address: string
  count: number
}

/** For addresses beyond those that are counted one by one. */
export const OTHERS = 'others'

/**
 * Calls and failed attempts, apart: strangers add to the latter alone. They are bounded by themselves: 200 addresses an hour are counted
 * one by one and all others together, and after 30 days they are deleted.
 */
export interface AuditLog {
  /** Appends an entry. Only the newest 100,000 are kept. */
  append(entry: AuditEntry): Promise<void>
  /** Entries with a number below `before`, newest first. Reads at most the 100,000 that are kept. */
  list(before: number | null, limit: number, filter?: AuditFilter): Promise<(AuditEntry & { number: number })[]>
  /** Adds to the counts. What was counted in the last moment before a crash may be lost. */
  countFailures(failures: readonly FailedAttempts[], nowMs: number): Promise<void>
  /** Those that began last first, of those numbered below `before`. */
  listFailures(before: number | null, limit: number): Promise<(FailedAttempts & { number: number })[]>
}
