import { accountMember } from '../../../access/account-member.ts'
import { optionals, pick } from '../../../api/declare/words.ts'
import { updateEndpoint } from '../../../api/records/record-endpoints.ts'
import { Account } from '../resources/account.ts'

export const updateAccount = updateEndpoint(Account, {
  name: 'updateAccount',
  route: 'PUT /12/accounts/:account_id',
  section: '§4.8',
  summary: 'Change the name or the industry of an account.',
  auth: accountMember({ changes: 'account' }),
  params: optionals(pick(Account.fields, 'name', 'industry_type')),
})
