import type { AccountMembers } from '../../account-members.ts'
import { createBatchLoader } from '../batch-loader.ts'
import type { PreparedQuery } from '../prepared-query.ts'
import { type MemberRow, membershipOf } from '../stores/member-store.ts'
import { LOOKUP_OPTIONS } from './batched-lookup.ts'

interface Wanted {
  accountId: string
  userId: string
}

const statement = {
  name: 'members-by-account-and-user',
  text: `select place::integer, role, permissions, hidden, host
    from unnest((select $1::text[]), (select $2::text[])) with ordinality as wanted (user_id, account_id, place)
    join account_members using (user_id, account_id)`,
}

/** Batches the lookups of account members. */
export function batchMembers(query: PreparedQuery): AccountMembers {
  const member = createBatchLoader<Wanted, MemberRow | undefined>(async (asked) => {
    const users = asked.map(({ userId }) => userId)
    const accounts = asked.map(({ accountId }) => accountId)
    const rows = await query<MemberRow & { place: number }>(statement, [users, accounts])
    const members = new Map(rows.map((row) => [row.place, row]))
    return asked.map((_, at) => members.get(at + 1))
  }, LOOKUP_OPTIONS)
  return {
    find: async (host, accountId, userId) => membershipOf(await member({ accountId, userId }), host),
  }
}
