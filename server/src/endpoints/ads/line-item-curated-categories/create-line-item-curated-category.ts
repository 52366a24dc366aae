import { accountMember } from '../../../access/account-member.ts'
import { createEndpoint } from '../../../api/records/record-endpoints.ts'
import { LineItemCuratedCategory } from '../resources/line-item-curated-category.ts'
import { assertCuratedCategoryFits, curatedCategoryRules } from './curated-category-rules.ts'

export const createLineItemCuratedCategory = createEndpoint(LineItemCuratedCategory, {
  name: 'createLineItemCuratedCategory',
  route: 'POST /12/accounts/:account_id/line_item_curated_categories',
  section: '§4.8',
  summary: 'Assign a curated category to a line item.',
  description: curatedCategoryRules,
  auth: accountMember({ changes: 'campaigns' }),
  params: LineItemCuratedCategory.fields,
  before: (transaction, given) => assertCuratedCategoryFits(transaction, given),
})
