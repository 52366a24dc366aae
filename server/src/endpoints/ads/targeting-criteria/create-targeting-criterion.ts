import { accountMember } from '../../../access/account-member.ts'
import { optionals, pick } from '../../../api/declare/words.ts'
import { createEndpoint } from '../../../api/records/record-endpoints.ts'
import { withTargetableAudience } from '../audiences/audience-criteria.ts'
import { assertCriterionFits, curatedCategoryRules } from '../line-item-curated-categories/curated-category-rules.ts'
import { TargetingCriterion } from '../resources/targeting-criterion.ts'

const { fields } = TargetingCriterion

export const createTargetingCriterion = createEndpoint(TargetingCriterion, {
  name: 'createTargetingCriterion',
  route: 'POST /12/accounts/:account_id/targeting_criteria',
  section: '§4.8',
  summary: 'Create a targeting criterion of a line item.',
  description:
    `${curatedCategoryRules} The value of \`CUSTOM_AUDIENCE\` and \`CUSTOM_AUDIENCE_EXPANDED\` is an audience of the account, or one that is shared with ` +
    'it, which must be targetable.',
  auth: accountMember({ changes: 'campaigns' }),
  params: {
    ...pick(fields, 'line_item_id', 'targeting_type', 'targeting_value'),
    ...optionals(pick(fields, 'operator_type', 'name')),
  },
  check: withTargetableAudience,
  before: assertCriterionFits,
})
