import { accountMember } from '../../../access/account-member.ts'
import { adsProblem } from '../../../api/declare/problem.ts'
import { optionals, pick } from '../../../api/declare/words.ts'
import { createEndpoint } from '../../../api/records/record-endpoints.ts'
import { DoNotReachList } from '../resources/do-not-reach-list.ts'

export const createDoNotReachList = createEndpoint(DoNotReachList, {
  name: 'createDoNotReachList',
  route: 'POST /12/accounts/:account_id/do_not_reach_lists',
  section: '§4.6',
  summary: 'Create the do-not-reach list of an account, without users. An account has one.',
  auth: accountMember({ changes: 'audiences' }),
  params: optionals(pick(DoNotReachList.fields, 'description')),
  async before(transaction) {
    if ((await transaction.count(DoNotReachList, {}, 1)) > 0) throw adsProblem('INVALID', 'The account has a do-not-reach list already')
  },
})
