import { sql } from 'kysely'
import type { RecordType } from '../../records.ts'
import type { SqlDatabase } from '../sql-database.ts'

/**
 * Finds out which of these audiences, each named `<table>:<key of its record>`, have a record that is neither deleted nor of a deleted
 * account. Those of tables that are not declared count as kept, and an account without a row is not deleted.
 */
export const createKeptAudiences =
  ({ db }: Pick<SqlDatabase, 'db'>, recordTypes: readonly RecordType[]) =>
  async (audienceIds: readonly string[]): Promise<Set<string>> => {
    const kept = new Set<string>()
    const byTable = Map.groupBy(audienceIds, (id) => id.slice(0, id.indexOf(':')))
    for (const [table, ids] of byTable) {
      const recordType = recordTypes.find((known) => known.table === table)
      if (!recordType) {
        for (const id of ids) kept.add(id)
        continue
      }
      const key = sql.ref(recordType.key)
      const keys = sql.join(ids.map((id) => id.slice(table.length + 1)))
      const owner = sql.ref(`${table}.${recordType.scope}`)
      const ofDeleted = sql`exists (select 1 from accounts where accounts.id = ${owner} and accounts.hidden = true)`
      const found = await sql<{
        key: string
      }>`select ${key} as key from ${sql.table(table)} where hidden = false and ${key} in (${keys}) and not ${ofDeleted}`.execute(db)
      for (const row of found.rows) kept.add(`${table}:${row.key}`)
    }
    return kept
  }
