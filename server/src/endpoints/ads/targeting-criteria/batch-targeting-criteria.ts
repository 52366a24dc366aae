import { batchEndpoint } from '../../../api/records/batch-endpoint.ts'
import { createTargetingCriterion } from './create-targeting-criterion.ts'
import { deleteTargetingCriterion } from './delete-targeting-criterion.ts'

export const batchTargetingCriteria = batchEndpoint({
  name: 'batchTargetingCriteria',
  route: 'POST /12/batch/accounts/:account_id/targeting_criteria',
  section: '§4.8',
  summary: 'Create and delete targeting criteria (atomic: all of them or none).',
  max: 500,
  changes: { Create: createTargetingCriterion, Delete: deleteTargetingCriterion },
})
