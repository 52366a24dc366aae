import { accountMember } from '../../../access/account-member.ts'
import { adsId, adsTime } from '../../../api/declare/ads-words.ts'
import type { Dialect } from '../../../api/declare/dialect.ts'
import { Problem } from '../../../api/declare/problem.ts'
import type { RawRequest } from '../../../api/declare/raw-request.ts'
import { anyObject, integer, listOf, object, oneOf, optional, text } from '../../../api/declare/words.ts'
import type { RecordServices } from '../../../api/records/account-changes.ts'
import { adsEndpoint } from '../../../api/records/ads-endpoint.ts'
import type { Memberships } from '../../../storage/memberships.ts'
import { membershipsKey } from '../resources/audience-state.ts'
import { CustomAudience } from '../resources/custom-audience.ts'
import { DoNotReachList } from '../resources/do-not-reach-list.ts'
import { mustFindWritable } from './find-audience.ts'
import type { BatchReader } from './users-batch/batch-reader.ts'
import { type BatchKind, batchRules, MAX_BATCH_BYTES, MAX_OPERATIONS } from './users-batch/batch-rules.ts'
import type { RepeatedOperation } from './users-batch/read-batch.ts'

interface BatchServices {
  memberships: Memberships
  batchReader: BatchReader
  dialect: Dialect
  now: () => number
}

/** How many users a batch has; both counts are the same, because all operations succeed or none. */
const batchCounts = listOf(object({ success_count: integer(), total_count: integer() }))

/** The schema of a body. */
const batchSchema = (kind: BatchKind) => {
  const { kinds, hasEffectiveAt } = batchRules[kind]
  const user = object(Object.fromEntries(kinds.map((name) => [name, optional(listOf(text()))])))
  const times = { ...(hasEffectiveAt && { effective_at: optional(adsTime()) }), expires_at: optional(adsTime()) }
  const params = object({ ...times, users: listOf(user, { min: 1 }) })
  return listOf(object({ operation_type: oneOf(['Update', 'Delete']), params }), { min: 1, max: MAX_OPERATIONS })
}

const batchRulesText =
  'All operations succeed or none. Values are SHA-256 hashes in 64 hex digits, but for `partner_user_id`. A user is one person however many ' +
  'identifiers are given, and is deleted by any of them. Without `expires_at` a membership ends 13 months after the request.'

const isEmpty = ({ body }: RawRequest) => body === null || body.length === 0

interface Batch {
  kind: BatchKind
  /** Who sends it. */
  accountId: string
  /** The audience, as the memberships know it. */
  audienceKey: string
  /** Repeats the request, where that is not its parameters. */
  repeat?(operations: readonly RepeatedOperation[]): unknown[]
  absent(): Error
  /** Throws if the caller may not change the audience any more: a batch waits for others. */
  assertAllowed?(): Promise<unknown>
}

/** Applies the batch of users in the body of a request to an audience. Throws what is wrong with the request or with its operations. */
function applyBatch(
  request: RawRequest,
  { kind, accountId, audienceKey, repeat, absent, assertAllowed }: Batch,
  { memberships, batchReader, dialect, now }: BatchServices,
) {
  if (isEmpty(request))
    throw new Problem('invalid-request', {
      errors: [{ code: 'INVALID_PARAMETER', message: 'Expected a list of operations as the request body' }],
    })
  const nowMs = now()
  return batchReader.read(request.body!, { kind, dialect: dialect.name, accountId, nowMs }, async (batch) => {
    const repeated = repeat && { request: repeat(batch.operations) }
    if ('requestErrors' in batch) throw new Problem('invalid-request', { errors: batch.requestErrors })
    if ('operationErrors' in batch) throw new Problem('invalid-request', { operation_errors: batch.operationErrors, ...repeated })
    const { packed, users } = batch
    await assertAllowed?.()
    if (!(await memberships.apply(audienceKey, packed, nowMs))) throw absent()
    return { ...repeated, data: [{ success_count: users, total_count: users }] }
  })
}

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
    object({ params: anyObject({ description: 'The parameters of the operation, without its users.' }), operation_type: optional(text()) }),
  ),
  data: batchCounts,
  async handle({ params: { account_id, do_not_reach_list_id }, caller, request }, services: BatchServices & RecordServices) {
    const list = await services.records.get(DoNotReachList, caller.accountId, do_not_reach_list_id)
    if (!list) throw DoNotReachList.absent(do_not_reach_list_id)
    const { pathParams } = request
    const own = { account_id: pathParams.account_id ?? account_id, do_not_reach_list_id: pathParams.do_not_reach_list_id ?? list.id }
    const repeatOne = ({ params, ...operation }: RepeatedOperation) => ({ params: { ...params, ...own }, ...operation })
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
