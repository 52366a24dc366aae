import type { AccountMembers } from '../account-members.ts'
import type { SqlDatabase } from './sql-database.ts'

export const createAccountMembers = ({ db }: SqlDatabase): AccountMembers => ({
  async find(host, accountId, userId) {
    const row = await db
      .selectFrom('account_members')
      .select(['role', 'permissions', 'hidden', 'host'])
      .where('user_id', '=', userId)
      .where('account_id', '=', accountId)
      .executeTakeFirst()
    return row?.host === host ? { role: row.role, permissions: JSON.parse(row.permissions), deleted: Boolean(row.hidden) } : undefined
  },
})
