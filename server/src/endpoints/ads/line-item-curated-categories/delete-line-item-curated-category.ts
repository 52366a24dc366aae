import { accountMember } from '../../../access/account-member.ts'
import { deleteEndpoint } from '../../../api/records/record-endpoints.ts'
import { LineItemCuratedCategory } from '../resources/line-item-curated-category.ts'

export const deleteLineItemCuratedCategory = deleteEndpoint(LineItemCuratedCategory, {
  name: 'deleteLineItemCuratedCategory',
  route: 'DELETE /12/accounts/:account_id/line_item_curated_categories/:line_item_curated_category_id',
  section: '§4.8',
  summary: 'Take a curated category from its line item.',
  auth: accountMember({ changes: 'campaigns' }),
})
