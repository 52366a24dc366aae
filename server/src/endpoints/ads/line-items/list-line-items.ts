import { accountMember } from '../../../access/account-member.ts'
import { adsId } from '../../../api/declare/ads-words.ts'
import { listEndpoint } from '../../../api/records/list-endpoint.ts'
import { LineItem } from './line-item.ts'

export const listLineItems = listEndpoint(LineItem, {
  name: 'listLineItems',
  route: 'GET /12/accounts/:account_id/line_items',
  section: '§4.8',
  summary: 'List the line items of an account.',
  auth: accountMember(),
  params: { account_id: adsId() },
  scopeOf: ({ accountId }) => ({ account_id: accountId }),
})
