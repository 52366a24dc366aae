import type { AuditLog } from '../../audit-log.ts'
import type { SqlDatabase } from '../sql-database.ts'

const MOST_KEPT = 100_000

export const createAuditLog = ({ db, unannounced }: SqlDatabase): AuditLog => ({
  async append({ atMs, action, status, detail, tokenName }) {
    const { number } = await unannounced
      .insertInto('audit_log')
      .values({ at_ms: atMs, action, status, detail, token_name: tokenName })
      .returning('number')
      .executeTakeFirstOrThrow()
    if (number > MOST_KEPT) {
      await unannounced
        .deleteFrom('audit_log')
        .where('number', '<=', number - MOST_KEPT)
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
    return rows.map(({ at_ms, token_name, ...entry }) => ({ atMs: at_ms, tokenName: token_name, ...entry }))
  },
})
