import { accountMember } from '../../../access/account-member.ts'
import { getEndpoint } from '../../../api/records/record-endpoints.ts'
import { LineItem } from '../resources/line-item.ts'

export const getLineItem = getEndpoint(LineItem, {
  name: 'getLineItem',
  route: 'GET /12/accounts/:account_id/line_items/:line_item_id',
  section: '§4.8',
  summary: 'Get a line item.',
  auth: accountMember(),
})
