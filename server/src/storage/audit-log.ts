/** One call of an operator endpoint. Never holds a secret. */
export interface AuditEntry {
  atMs: number
  action: string
  status: number
  detail: string
}

export interface AuditLog {
  append(entry: AuditEntry): Promise<void>
  /** The newest entries first. */
  list(limit: number): Promise<AuditEntry[]>
}
