import { accountMember } from '../../../access/account-member.ts'
import { deleteEndpoint } from '../../../api/record-endpoints.ts'
import { TargetingCriterion } from './targeting-criterion.ts'

export const deleteTargetingCriterion = deleteEndpoint(TargetingCriterion, {
  name: 'deleteTargetingCriterion',
  route: 'DELETE /12/accounts/:account_id/targeting_criteria/:targeting_criterion_id',
  section: '§4.8',
  summary: 'Delete a targeting criterion.',
  auth: accountMember({ changes: 'campaigns' }),
})
