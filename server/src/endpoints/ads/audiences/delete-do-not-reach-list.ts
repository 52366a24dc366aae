import { accountMember } from '../../../access/account-member.ts'
import { deleteEndpoint } from '../../../api/records/record-endpoints.ts'
import type { Memberships } from '../../../storage/memberships.ts'
import { DoNotReachList } from '../resources/do-not-reach-list.ts'

export const deleteDoNotReachList = deleteEndpoint(DoNotReachList, {
  name: 'deleteDoNotReachList',
  route: 'DELETE /12/accounts/:account_id/do_not_reach_lists/:do_not_reach_list_id',
  section: '§4.6',
  summary: 'Delete the do-not-reach list of an account. Its users are forgotten for good.',
  auth: accountMember({ changes: 'audiences' }),
  after: ({ id }, { memberships }: { memberships: Memberships }) => memberships.remove(id),
})
