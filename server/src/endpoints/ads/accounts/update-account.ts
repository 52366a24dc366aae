import { accountMember } from '../../../access/account-member.ts'
import { adsId } from '../../../api/declare/ads-words.ts'
import { optional } from '../../../api/declare/words.ts'
import { adsEndpoint } from '../../../api/records/ads-endpoint.ts'
import { changing, mustGet, type RecordServices } from '../../../api/records/record-endpoints.ts'
import { show } from '../../../api/records/show.ts'
import { Account } from '../resources/account.ts'

const { name, industry_type } = Account.fields

export const updateAccount = adsEndpoint({
  name: 'updateAccount',
  route: 'PUT /12/accounts/:account_id',
  section: '§4.8',
  summary: 'Change the name or the industry of an account.',
  auth: accountMember({ changes: 'account' }),
  params: { account_id: adsId(), name: optional(name), industry_type: optional(industry_type) },
  data: Account.schema,
  async handle({ params: { account_id, ...changes }, caller }, services: RecordServices) {
    const account = await changing(caller, services, async (transaction) =>
      transaction.update(Account, await mustGet(transaction, Account, account_id), changes),
    )
    return { data: await show(Account, account, account.host, services) }
  },
})
