import { readExactJson } from '../../../lib/numbers.ts'
import type { AccountHistory, HistoryEntry } from '../../account-history.ts'
import type { Row } from '../schema.ts'
import type { SqlDatabase } from '../sql-database.ts'

const fromRow = (row: Row<'account_history'>): HistoryEntry => ({
  number: row.number,
  changeTimeMs: row.at_ms,
  changeType: row.change_type,
  userId: row.user_id,
  entity: row.entity,
  entityId: row.entity_id,
  changes: readExactJson(row.changes) as HistoryEntry['changes'],
  entityData: readExactJson(row.entity_data) as HistoryEntry['entityData'],
})

export const createAccountHistory = ({ db }: SqlDatabase): AccountHistory => ({
  async list({ accountId, entity, entityId, fromMs, toMs, userId, before, limit }) {
    let query = db
      .selectFrom('account_history')
      .selectAll()
      .where('account_id', '=', accountId)
      .where('entity', '=', entity)
      .where('entity_id', '=', entityId)
      .where('at_ms', '>=', fromMs)
      .where('at_ms', '<', toMs)
    if (userId !== undefined) query = query.where('user_id', '=', userId)
    if (before !== undefined) query = query.where('number', '<', before)
    return (await query.orderBy('number', 'desc').limit(limit).execute()).map(fromRow)
  },
})
