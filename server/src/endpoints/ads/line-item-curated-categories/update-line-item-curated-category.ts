import { accountMember } from '../../../access/account-member.ts'
import { adsId } from '../../../api/declare/ads-words.ts'
import { optionals } from '../../../api/declare/words.ts'
import { adsEndpoint } from '../../../api/records/ads-endpoint.ts'
import { changesOf, changing, mustGet, type RecordServices } from '../../../api/records/record-endpoints.ts'
import { show } from '../../../api/records/show.ts'
import { LineItemCuratedCategory } from '../resources/line-item-curated-category.ts'
import { assertCuratedCategoryFits, curatedCategoryRules } from './curated-category-rules.ts'

export const updateLineItemCuratedCategory = adsEndpoint({
  name: 'updateLineItemCuratedCategory',
  route: 'PUT /12/accounts/:account_id/line_item_curated_categories/:line_item_curated_category_id',
  section: '§4.8',
  summary: 'Change the curated category, or the line item that has it. What is not sent stays as it is.',
  description: curatedCategoryRules,
  auth: accountMember({ changes: 'campaigns' }),
  params: { account_id: adsId(), line_item_curated_category_id: adsId(), ...optionals(LineItemCuratedCategory.fields) },
  data: LineItemCuratedCategory.schema,
  async handle({ params: { account_id, line_item_curated_category_id: id, ...changes }, caller }, services: RecordServices) {
    const changed = await changing(caller, services, async (transaction) => {
      const existing = await mustGet(transaction, LineItemCuratedCategory, id)
      await assertCuratedCategoryFits(transaction, { ...existing, ...changes }, changesOf(existing, changes))
      return transaction.update(LineItemCuratedCategory, existing, changes)
    })
    return { data: await show(LineItemCuratedCategory, changed, caller.accountId, services) }
  },
})
