import { accountMember } from '../../../access/account-member.ts'
import { adsId } from '../../../api/declare/ads-words.ts'
import { listEndpoint } from '../../../api/records/list-endpoint.ts'
import { AccountApp } from '../resources/account-app.ts'

export const listAccountApps = listEndpoint(AccountApp, {
  name: 'listAccountApps',
  route: 'GET /12/accounts/:account_id/account_apps',
  section: '§4.8',
  summary: 'List the mobile apps of an account.',
  auth: accountMember(),
  params: { account_id: adsId() },
  scopeOf: ({ accountId }) => ({ account_id: accountId }),
})
