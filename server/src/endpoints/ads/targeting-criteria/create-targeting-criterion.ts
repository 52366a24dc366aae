import { accountMember } from '../../../access/account-member.ts'
import { adsId } from '../../../api/declare/ads-words.ts'
import { optional } from '../../../api/declare/words.ts'
import { adsEndpoint } from '../../../api/records/ads-endpoint.ts'
import { changing, mustInsert, type RecordServices } from '../../../api/records/record-endpoints.ts'
import { show } from '../../../api/records/show.ts'
import type { Ids } from '../../../lib/ids.ts'
import { assertCriterionFits, curatedCategoryRules } from '../line-item-curated-categories/curated-category-rules.ts'
import { TargetingCriterion } from '../resources/targeting-criterion.ts'

const { line_item_id, name, operator_type, targeting_type, targeting_value } = TargetingCriterion.fields

export const createTargetingCriterion = adsEndpoint({
  name: 'createTargetingCriterion',
  route: 'POST /12/accounts/:account_id/targeting_criteria',
  section: '§4.8',
  summary: 'Create a targeting criterion of a line item.',
  description: curatedCategoryRules,
  auth: accountMember({ changes: 'campaigns' }),
  params: {
    account_id: adsId(),
    line_item_id,
    targeting_type,
    targeting_value,
    operator_type: optional(operator_type),
    name: optional(name),
  },
  data: TargetingCriterion.schema,
  async handle({ params: { account_id, ...given }, caller }, services: RecordServices & { ids: Ids }) {
    const criterion = await changing(caller, services, async (transaction) => {
      await assertCriterionFits(transaction, given)
      return mustInsert(transaction, TargetingCriterion, { ...given, id: services.ids.nextBase36() })
    })
    return { data: await show(TargetingCriterion, criterion, caller.accountId, services) }
  },
})
