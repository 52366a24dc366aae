import { accountMember } from '../../../access/account-member.ts'
import { adsId } from '../../../api/declare/ads-words.ts'
import { anyObject, listOf, nullable, object, text } from '../../../api/declare/words.ts'
import type { RecordServices } from '../../../api/records/account-changes.ts'
import { adsEndpoint } from '../../../api/records/ads-endpoint.ts'
import { membershipsKey } from '../resources/audience-state.ts'
import { DoNotReachList } from '../resources/do-not-reach-list.ts'
import { applyBatch, type BatchServices, batchCounts, batchRulesText, batchSchema } from './batch-endpoint.ts'
import { MAX_BATCH_BYTES } from './users-batch/batch-rules.ts'
import type { RepeatedOperation } from './users-batch/read-batch.ts'

export const changeDoNotReachUsers = adsEndpoint({
  name: 'changeDoNotReachUsers',
  route: 'POST /12/batch/accounts/:account_id/do_not_reach_lists/:do_not_reach_list_id/users',
  section: '§4.6',
  summary: 'Add users to the do-not-reach list of an account, and delete users from it.',
  description: `${batchRulesText} An end lies at most 13 months ahead, and operations take effect at once: \`effective_at\` is refused.`,
  auth: accountMember({ changes: 'audiences' }),
  rateLimit: 'audience',
  bodyLimitBytes: MAX_BATCH_BYTES,
  params: { account_id: adsId(), do_not_reach_list_id: adsId() },
  rawBody: {
    schema: batchSchema('doNotReachList'),
    example: [
      { operation_type: 'Update', params: { users: [{ email: ['49e0be2aeccfb51a8dee4c945c8a70a9ac500cf6f5cb08112575f74db9b1470d'] }] } },
    ],
  },
  request: listOf(
    object({ params: anyObject({ description: 'The parameters of the operation, without its users.' }), operation_type: nullable(text()) }),
  ),
  data: batchCounts,
  async handle({ params: { account_id, do_not_reach_list_id }, caller, request }, services: BatchServices & RecordServices) {
    const list = await services.records.get(DoNotReachList, caller.accountId, do_not_reach_list_id)
    if (!list) throw DoNotReachList.absent(do_not_reach_list_id)
    const { pathParams } = request
    const own = { account_id: pathParams.account_id ?? account_id, do_not_reach_list_id: pathParams.do_not_reach_list_id ?? list.id }
    const repeatOne = ({ operation_type, expires_at }: RepeatedOperation) => ({
      params: { ...own, ...(expires_at !== undefined && { expires_at }) },
      operation_type,
    })
    return applyBatch(
      request,
      {
        kind: 'doNotReachList',
        accountId: caller.accountId,
        audienceKey: membershipsKey('do_not_reach_lists', list.id),
        repeat: (operations) => operations.map(repeatOne),
        absent: () => DoNotReachList.absent(list.id),
      },
      services,
    )
  },
})
