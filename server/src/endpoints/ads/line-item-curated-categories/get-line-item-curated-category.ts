import { accountMember } from '../../../access/account-member.ts'
import { getEndpoint } from '../../../api/records/record-endpoints.ts'
import { LineItemCuratedCategory } from '../resources/line-item-curated-category.ts'

export const getLineItemCuratedCategory = getEndpoint(LineItemCuratedCategory, {
  name: 'getLineItemCuratedCategory',
  route: 'GET /12/accounts/:account_id/line_item_curated_categories/:line_item_curated_category_id',
  section: '§4.8',
  summary: 'Get a curated category of a line item.',
  auth: accountMember(),
})
