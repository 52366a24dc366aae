import type { AuditLog } from '../../audit-log.ts'
import type { SqlDatabase } from '../sql-database.ts'

const MAX_ENTRIES = 100_000

export const createAuditLog = ({ db, unannounced }: SqlDatabase): AuditLog => ({
  async append({ atMs, action, status, detail }) {
    const { number } = await unannounced
      .insertInto('audit_log')
      .values({ at_ms: atMs, action, status, detail })
      .returning('number')
      .executeTakeFirstOrThrow()
    if (number > MAX_ENTRIES) {
      await unannounced
        .deleteFrom('audit_log')
        .where('number', '<=', number - MAX_ENTRIES)
        .execute()
    }
  },
  async list(before, limit) {
    const rows = await db
      .selectFrom('audit_log')
      .selectAll()
      .$if(before !== null, (query) => query.where('number', '<', before))
      .orderBy('number', 'desc')
      .limit(limit)
      .execute()
    return rows.map(({ at_ms, ...entry }) => ({ atMs: at_ms, ...entry }))
  },
})
