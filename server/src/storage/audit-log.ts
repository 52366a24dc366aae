/** One call of an operator endpoint. Never holds a secret. */
export interface AuditEntry {
  atMs: number
  action: string
  status: number
  detail: string
}

export interface AuditLog {
  /** Appends an entry. Only the newest 100,000 are kept. */
  append(entry: AuditEntry): Promise<void>
  /** Entries with a number below `before`, newest first. */
  list(before: number | null, limit: number): Promise<(AuditEntry & { number: number })[]>
}
