import { sql, type Transaction } from 'kysely'
import type { Membership } from '../../account-members.ts'
import type { Database } from '../schema.ts'

/** The columns of an account by which its members list it: each member has them too, so that every list of accounts pages by an index. */
export const LISTED = ['host', 'hidden', 'deleted', 'created_at_ms', 'updated_at_ms', 'name', 'name_key']

const columns = sql.join(LISTED.map((column) => sql.ref(column)))

/** Brings what the members of an account list it by up to date with the account. */
export const listMembers = async (trx: Transaction<Database>, accountId: string): Promise<void> => {
  const from = sql`from accounts where accounts.id = ${accountId}`
  const values = LISTED.map((column) => sql`${sql.ref(column)} = (select ${sql.ref(column)} ${from})`)
  await sql`update account_members set ${sql.join(values)} where account_id = ${accountId}`.execute(trx)
}

/** Makes a user a member, who lists the account from then on. True when the user was none. */
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
