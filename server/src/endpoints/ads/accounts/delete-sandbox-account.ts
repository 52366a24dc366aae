import { accountMember } from '../../../access/account-member.ts'
import { deleteEndpoint } from '../../../api/records/record-endpoints.ts'
import { Account } from '../resources/account.ts'

export const deleteSandboxAccount = deleteEndpoint(Account, {
  name: 'deleteSandboxAccount',
  route: 'DELETE /12/accounts/:account_id',
  section: '§4.8',
  summary: 'Delete a sandbox account.',
  auth: accountMember({ changes: 'account' }),
  sandboxOnly: true,
})
