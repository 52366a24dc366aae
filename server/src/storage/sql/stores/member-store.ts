import type { AccountMembers, Membership } from '../../account-members.ts'
import type { Row } from '../schema.ts'
import type { SqlDatabase } from '../sql-database.ts'

export type MemberRow = Pick<Row<'account_members'>, 'role' | 'permissions' | 'hidden' | 'host'>

/** The membership, if the account exists on this host. */
export const membershipOf = (row: MemberRow | undefined, host: string): Membership | undefined =>
  row?.host === host ? { role: row.role, permissions: JSON.parse(row.permissions), deleted: Boolean(row.hidden) } : undefined

export const createAccountMembers = ({ db }: SqlDatabase): AccountMembers => ({
  async find(host, accountId, userId) {
    const row = await db
      .selectFrom('account_members')
      .select(['role', 'permissions', 'hidden', 'host'])
      .where('user_id', '=', userId)
      .where('account_id', '=', accountId)
      .executeTakeFirst()
    return membershipOf(row, host)
  },
})
