export type ChangeType = 'CREATE' | 'UPDATE' | 'DELETE'

/** One change of something in an account (§2.8). */
export interface HistoryEntry {
  /** Grows with each change of the database. */
  number: number
  changeTimeMs: number
  changeType: ChangeType
  userId: string
  entity: string
  entityId: string
  /** The value before and after, for each field that changed; nothing of a thing that was made. `updated_at` is not among them. */
  changes: Record<string, { before: unknown; after: unknown }>
  /** The thing as the change was answered. */
  entityData: Record<string, unknown>
}

export interface HistoryQuery {
  accountId: string
  entity: string
  entityId: string
  /** From inclusive, to exclusive, in milliseconds since 1970. */
  fromMs: number
  toMs: number
  userId?: string
  /** Only entries before this one. */
  before?: number
  limit: number
}

/** What was changed in advertising accounts. Entries are written by the changes themselves. */
export interface AccountHistory {
  /** Newest first. */
  list(query: HistoryQuery): Promise<HistoryEntry[]>
}
