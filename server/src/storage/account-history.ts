export type ChangeType = 'CREATE' | 'UPDATE' | 'DELETE'

/** One change of a record of an account (§2.8). */
export interface HistoryEntry {
  /** Ascending over all changes in the database. */
  number: number
  changeTimeMs: number
  changeType: ChangeType
  userId: string
  entity: string
  entityId: string
  /** The values before and after of each changed field, except `updated_at`; empty for a new record. */
  changes: Record<string, { before: unknown; after: unknown }>
  /** The record as the response to the change showed it. */
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

/** The change history of advertising accounts. Each change writes its entry itself. */
export interface AccountHistory {
  /** Newest first. */
  list(query: HistoryQuery): Promise<HistoryEntry[]>
}
