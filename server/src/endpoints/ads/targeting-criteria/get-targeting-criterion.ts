import { accountMember } from '../../../access/account-member.ts'
import { getEndpoint } from '../../../api/records/record-endpoints.ts'
import { TargetingCriterion } from '../resources/targeting-criterion.ts'

export const getTargetingCriterion = getEndpoint(TargetingCriterion, {
  name: 'getTargetingCriterion',
  route: 'GET /12/accounts/:account_id/targeting_criteria/:targeting_criterion_id',
  section: '§4.8',
  summary: 'Get a targeting criterion.',
  auth: accountMember(),
})
