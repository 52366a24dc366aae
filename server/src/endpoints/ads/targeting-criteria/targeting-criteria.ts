import { accountMember } from '../../../access/account-member.ts'
import { optionals, pick } from '../../../api/declare/words.ts'
import { batchEndpoint } from '../../../api/records/batch-endpoint.ts'
import { createEndpoint, deleteEndpoint } from '../../../api/records/record-endpoints.ts'
import { assertAudienceRemains, withTargetableAudience } from '../audiences/audience-criteria.ts'
import {
  assertCriterionFits,
  assertCriterionRemovable,
  curatedCategoryRules,
} from '../line-item-curated-categories/curated-category-rules.ts'
import { LEAST_USERS } from '../resources/audience-state.ts'
import { TargetingCriterion } from '../resources/targeting-criterion.ts'

const { fields } = TargetingCriterion

export const createTargetingCriterion = createEndpoint(TargetingCriterion, {
  name: 'createTargetingCriterion',
  route: 'POST /12/accounts/:account_id/targeting_criteria',
  section: '§4.8',
  summary: 'Create a targeting criterion of a line item.',
  description:
    `${curatedCategoryRules} The value of \`CUSTOM_AUDIENCE\` and \`CUSTOM_AUDIENCE_EXPANDED\` is an audience of the account, or one that is shared with ` +
    `it, which must be targetable: it has at least ${LEAST_USERS} users.`,
  auth: accountMember({ changes: 'campaigns' }),
  params: {
    ...pick(fields, 'line_item_id', 'targeting_type', 'targeting_value'),
    ...optionals(pick(fields, 'operator_type', 'name')),
  },
  check: withTargetableAudience,
  async before(transaction, criterion) {
    await assertAudienceRemains(transaction, criterion)
    await assertCriterionFits(transaction, criterion)
  },
})

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

export const batchTargetingCriteria = batchEndpoint({
  name: 'batchTargetingCriteria',
  route: 'POST /12/batch/accounts/:account_id/targeting_criteria',
  section: '§4.8',
  summary: 'Create and delete targeting criteria (atomic: all of them or none).',
  max: 500,
  changes: { Create: createTargetingCriterion, Delete: deleteTargetingCriterion },
})
