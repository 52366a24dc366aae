import { accountMember } from '../../../access/account-member.ts'
import { adsId } from '../../../api/declare/ads-words.ts'
import { listEndpoint } from '../../../api/records/list-endpoint.ts'
import { LineItem } from '../resources/line-item.ts'

export const listLineItems = listEndpoint(LineItem, {
  name: 'listLineItems',
  route: 'GET /12/accounts/:account_id/line_items',
  section: '§4.8',
  summary: 'List the line items of an account.',
  auth: accountMember(),
  params: { account_id: adsId() },
  ids: { line_item_ids: 'id', campaign_ids: 'campaign_id', funding_instrument_ids: 'funding_instrument_id' },
  longestPrefix: 255,
  scopeOf: ({ accountId }) => ({ account_id: accountId }),
})
