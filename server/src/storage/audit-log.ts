/** One call of an operator endpoint. Never holds a secret. */
export interface AuditEntry {
  atMs: number
  action: string
  status: number
  detail: string
  /** The name of the operator token; null for the unnamed one. */
  tokenName: string | null
}

export interface AuditLog {
  /** The newest 100,000 entries are kept. */
  append(entry: AuditEntry): Promise<void>
  /** The newest entries first, of those numbered below `before`. */
  list(before: number | null, limit: number): Promise<(AuditEntry & { number: number })[]>
}
