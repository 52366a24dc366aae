import { accountMember } from '../../../access/account-member.ts'
import { adsId } from '../../../api/declare/ads-words.ts'
import { listEndpoint } from '../../../api/records/list-endpoint.ts'
import { TargetingCriterion } from '../resources/targeting-criterion.ts'

export const listTargetingCriteria = listEndpoint(TargetingCriterion, {
  name: 'listTargetingCriteria',
  route: 'GET /12/accounts/:account_id/targeting_criteria',
  section: '§4.8',
  summary: 'List the targeting criteria of an account.',
  auth: accountMember(),
  params: { account_id: adsId() },
  ids: { targeting_criterion_ids: 'id', line_item_ids: 'line_item_id' },
  scopeOf: ({ accountId }) => ({ account_id: accountId }),
})
