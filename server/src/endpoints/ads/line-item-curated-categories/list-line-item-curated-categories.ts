import { accountMember } from '../../../access/account-member.ts'
import { adsId } from '../../../api/declare/ads-words.ts'
import { listEndpoint } from '../../../api/records/list-endpoint.ts'
import { LineItemCuratedCategory } from '../resources/line-item-curated-category.ts'

export const listLineItemCuratedCategories = listEndpoint(LineItemCuratedCategory, {
  name: 'listLineItemCuratedCategories',
  route: 'GET /12/accounts/:account_id/line_item_curated_categories',
  section: '§4.8',
  summary: 'List which line items of an account have which curated category.',
  auth: accountMember(),
  params: { account_id: adsId() },
  scopeOf: ({ accountId }) => ({ account_id: accountId }),
})
