import { adsUser } from '../../../access/ads-user.ts'
import { listEndpoint } from '../../../api/records/list-endpoint.ts'
import { Account } from '../resources/account.ts'

export const listAccounts = listEndpoint(Account, {
  name: 'listAccounts',
  route: 'GET /12/accounts',
  section: '§4.8',
  summary: 'List the accounts that the user is a member of.',
  auth: adsUser,
  params: {},
  scopeOf: ({ user, adsHost }) => ({ user_id: user.id, host: adsHost }),
})
