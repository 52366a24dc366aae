import { accountMember } from '../../../access/account-member.ts'
import { deleteEndpoint } from '../../../api/records/record-endpoints.ts'
import { LineItem } from '../resources/line-item.ts'

export const deleteLineItem = deleteEndpoint(LineItem, {
  name: 'deleteLineItem',
  route: 'DELETE /12/accounts/:account_id/line_items/:line_item_id',
  section: '§4.8',
  summary: 'Delete a line item, for good. What it promotes stays, and is listed with `with_deleted=true` only.',
  auth: accountMember({ changes: 'campaigns' }),
})
