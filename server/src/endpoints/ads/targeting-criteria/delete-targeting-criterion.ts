import { accountMember } from '../../../access/account-member.ts'
import { deleteEndpoint } from '../../../api/records/record-endpoints.ts'
import { assertCriterionRemovable } from '../line-item-curated-categories/curated-category-rules.ts'
import { TargetingCriterion } from '../resources/targeting-criterion.ts'

export const deleteTargetingCriterion = deleteEndpoint(TargetingCriterion, {
  name: 'deleteTargetingCriterion',
  route: 'DELETE /12/accounts/:account_id/targeting_criteria/:targeting_criterion_id',
  section: '§4.8',
  summary: 'Delete a targeting criterion.',
  description:
    'If a line item has a curated category, its last `LOCATION` criterion for a country of that category can only be deleted after all others.',
  auth: accountMember({ changes: 'campaigns' }),
  before: assertCriterionRemovable,
})
