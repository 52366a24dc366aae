import { sql, type Transaction } from 'kysely'
import type { Membership } from '../../account-members.ts'
import type { Database } from '../schema.ts'

/** The columns of an account that are copied to each of its members, so that a user's list of accounts can be paged through an index. */
export const LISTED = ['host', 'hidden', 'deleted', 'created_at_ms', 'updated_at_ms', 'name', 'name_key']

const columns = sql.join(LISTED.map((column) => sql.ref(column)))

/** Copies those columns from the account to its members. */
export const copyToMembers = async (trx: Transaction<Database>, accountId: string): Promise<void> => {
  const from = sql`from accounts where accounts.id = ${accountId}`
  const values = LISTED.map((column) => sql`${sql.ref(column)} = (select ${sql.ref(column)} ${from})`)
  await sql`update account_members set ${sql.join(values)} where account_id = ${accountId}`.execute(trx)
}

/** Makes a user a member of the account. Returns true if the user was none. */
export async function insertMember(
  trx: Transaction<Database>,
  accountId: string,
  userId: string,
  { role, permissions }: Omit<Membership, 'deleted'>,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    insert into account_members (account_id, user_id, role, permissions, ${columns})
    select id, ${userId}, ${role}, ${JSON.stringify(permissions)}, ${columns} from accounts where id = ${accountId} on conflict do nothing`.execute(
    trx,
  )
  return numAffectedRows === 1n
}
