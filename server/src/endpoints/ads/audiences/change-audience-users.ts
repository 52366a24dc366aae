import { accountMember } from '../../../access/account-member.ts'
import { adsId } from '../../../api/declare/ads-words.ts'
import type { RecordServices } from '../../../api/records/account-changes.ts'
import { adsEndpoint } from '../../../api/records/ads-endpoint.ts'
import { membershipsKey } from '../resources/audience-state.ts'
import { CustomAudience } from '../resources/custom-audience.ts'
import { applyBatch, type BatchServices, batchCounts, batchRulesText, batchSchema } from './batch-endpoint.ts'
import { mustFindWritable } from './find-audience.ts'
import { MAX_BATCH_BYTES } from './users-batch/batch-rules.ts'

export const changeAudienceUsers = adsEndpoint({
  name: 'changeAudienceUsers',
  route: 'POST /12/accounts/:account_id/custom_audiences/:custom_audience_id/users',
  section: '§4.6',
  summary: 'Add users to a custom audience, and delete users from it.',
  description: batchRulesText,
  auth: accountMember({ changes: 'audiences' }),
  rateLimit: 'audience',
  bodyLimitBytes: MAX_BATCH_BYTES,
  params: { account_id: adsId(), custom_audience_id: adsId() },
  rawBody: {
    schema: batchSchema('customAudience'),
    example: [
      { operation_type: 'Update', params: { users: [{ email: ['49e0be2aeccfb51a8dee4c945c8a70a9ac500cf6f5cb08112575f74db9b1470d'] }] } },
    ],
  },
  data: batchCounts,
  async handle({ params: { custom_audience_id }, caller, request }, services: BatchServices & RecordServices) {
    const { id } = await mustFindWritable(custom_audience_id, caller, services)
    const audienceKey = membershipsKey('custom_audiences', id)
    const absent = () => CustomAudience.absent(id)
    const assertAllowed = () => mustFindWritable(id, caller, services)
    return applyBatch(request, { kind: 'customAudience', accountId: caller.accountId, audienceKey, absent, assertAllowed }, services)
  },
})
