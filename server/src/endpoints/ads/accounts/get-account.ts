import { accountMember } from '../../../access/account-member.ts'
import { adsId } from '../../../api/declare/ads-words.ts'
import { accountNotFound } from '../../../api/declare/problem.ts'
import { boolean, optional } from '../../../api/declare/words.ts'
import type { RecordServices } from '../../../api/records/account-changes.ts'
import { adsEndpoint } from '../../../api/records/ads-endpoint.ts'
import { show } from '../../../api/records/show.ts'
import { Account } from '../resources/account.ts'

export const getAccount = adsEndpoint({
  name: 'getAccount',
  route: 'GET /12/accounts/:account_id',
  section: '§4.8',
  summary: 'Get an account.',
  auth: accountMember({ allowDeleted: true }),
  params: { account_id: adsId(), with_deleted: optional(boolean()) },
  data: Account.schema,
  async handle({ params, caller }, services: RecordServices & { adsHost: string }) {
    const { records, adsHost } = services
    const account = await records.get(Account, adsHost, caller.accountId, params.with_deleted)
    if (!account) throw accountNotFound(caller.accountId)
    return { data: await show(Account, account, account.host, services) }
  },
})
