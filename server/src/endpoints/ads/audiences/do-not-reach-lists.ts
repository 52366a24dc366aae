import { accountMember } from '../../../access/account-member.ts'
import { adsId } from '../../../api/declare/ads-words.ts'
import { adsProblem } from '../../../api/declare/problem.ts'
import { optionals, pick } from '../../../api/declare/words.ts'
import { changeAccount, mustGet, type RecordServices } from '../../../api/records/account-changes.ts'
import { adsEndpoint } from '../../../api/records/ads-endpoint.ts'
import { createEndpoint } from '../../../api/records/record-endpoints.ts'
import { show } from '../../../api/records/show.ts'
import type { Memberships } from '../../../storage/memberships.ts'
import { membershipsKey } from '../resources/audience-state.ts'
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

export const deleteDoNotReachList = adsEndpoint({
  name: 'deleteDoNotReachList',
  route: 'DELETE /12/accounts/:account_id/do_not_reach_lists/:do_not_reach_list_id',
  section: '§4.6',
  summary: 'Delete the do-not-reach list of an account. Its users are forgotten for good.',
  auth: accountMember({ changes: 'audiences' }),
  params: { account_id: adsId(), do_not_reach_list_id: adsId() },
  data: DoNotReachList.schema,
  async handle({ params: { do_not_reach_list_id: id }, caller }, services: RecordServices & { memberships: Memberships }) {
    if (!(await services.records.get(DoNotReachList, caller.accountId, id))) throw DoNotReachList.absent(id)
    const deleted = await changeAccount(caller, services, async (transaction) =>
      transaction.remove(DoNotReachList, await mustGet(transaction, DoNotReachList, id)),
    )
    // What fails here is done within the hour: users of an audience without a record are removed then.
    await services.memberships.remove(membershipsKey('do_not_reach_lists', id)).catch(() => {})
    return { data: await show(DoNotReachList, deleted, caller.accountId, services) }
  },
})
