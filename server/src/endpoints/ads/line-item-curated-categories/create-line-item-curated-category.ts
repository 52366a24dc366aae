import { accountMember } from '../../../access/account-member.ts'
import { adsId } from '../../../api/declare/ads-words.ts'
import { adsEndpoint } from '../../../api/records/ads-endpoint.ts'
import { changing, mustInsert, type RecordServices } from '../../../api/records/record-endpoints.ts'
import { show } from '../../../api/records/show.ts'
import type { Ids } from '../../../lib/ids.ts'
import { LineItemCuratedCategory } from '../resources/line-item-curated-category.ts'
import { assertCuratedCategoryFits, curatedCategoryRules } from './curated-category-rules.ts'

export const createLineItemCuratedCategory = adsEndpoint({
  name: 'createLineItemCuratedCategory',
  route: 'POST /12/accounts/:account_id/line_item_curated_categories',
  section: '§4.8',
  summary: 'Give a line item a curated category.',
  description: curatedCategoryRules,
  auth: accountMember({ changes: 'campaigns' }),
  params: { account_id: adsId(), ...LineItemCuratedCategory.fields },
  data: LineItemCuratedCategory.schema,
  async handle({ params: { account_id, ...given }, caller }, services: RecordServices & { ids: Ids }) {
    const made = await changing(caller, services, async (transaction) => {
      await assertCuratedCategoryFits(transaction, given)
      return mustInsert(transaction, LineItemCuratedCategory, { ...given, id: services.ids.nextBase36() })
    })
    return { data: await show(LineItemCuratedCategory, made, caller.accountId, services) }
  },
})
