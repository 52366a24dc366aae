import { accountMember } from '../../../access/account-member.ts'
import { optionals } from '../../../api/declare/words.ts'
import { createEndpoint, isChanged, updateEndpoint } from '../../../api/records/record-endpoints.ts'
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

export const updateLineItemCuratedCategory = updateEndpoint(LineItemCuratedCategory, {
  name: 'updateLineItemCuratedCategory',
  route: 'PUT /12/accounts/:account_id/line_item_curated_categories/:line_item_curated_category_id',
  section: '§4.8',
  summary: 'Change the curated category, or assign it to another line item. Omitted fields keep their value.',
  description: curatedCategoryRules,
  auth: accountMember({ changes: 'campaigns' }),
  params: optionals(LineItemCuratedCategory.fields),
  before: (transaction, existing, changes) =>
    assertCuratedCategoryFits(transaction, { ...existing, ...changes }, (field) => isChanged(existing, changes, field)),
})
