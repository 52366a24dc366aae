import type { AuditLog } from '../audit-log.ts'
import type { SqlDatabase } from './sql-database.ts'

export const createAuditLog = ({ db }: SqlDatabase): AuditLog => ({
  async append({ atMs, action, status, detail }) {
    await db.insertInto('audit_log').values({ at_ms: atMs, action, status, detail }).execute()
  },
  async list(limit) {
    const rows = await db
      .selectFrom('audit_log')
      .select(['at_ms', 'action', 'status', 'detail'])
      .orderBy('number', 'desc')
      .limit(limit)
      .execute()
    return rows.map(({ at_ms, ...entry }) => ({ atMs: at_ms, ...entry }))
  },
})
