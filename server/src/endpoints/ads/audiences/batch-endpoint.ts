import { adsTime } from '../../../api/declare/ads-words.ts'
import { Problem } from '../../../api/declare/problem.ts'
import type { RawRequest } from '../../../api/declare/raw-request.ts'
import { integer, listOf, object, oneOf, optional, text } from '../../../api/declare/words.ts'
import type { Memberships } from '../../../storage/memberships.ts'
import type { BatchReader } from './users-batch/batch-reader.ts'
import { type BatchKind, batchRules, MAX_OPERATIONS } from './users-batch/batch-rules.ts'
import type { RepeatedOperation } from './users-batch/read-batch.ts'

export interface BatchServices {
  memberships: Memberships
  batchReader: BatchReader
  now: () => number
}

/** How many users a batch has; both counts are the same, because all operations succeed or none. */
export const batchCounts = listOf(object({ success_count: integer(), total_count: integer() }))

/** The schema of a body. */
export const batchSchema = (kind: BatchKind) => {
  const { kinds, hasEffectiveAt } = batchRules[kind]
  const user = object(Object.fromEntries(kinds.map((name) => [name, optional(listOf(text()))])))
  const times = { ...(hasEffectiveAt && { effective_at: optional(adsTime()) }), expires_at: optional(adsTime()) }
  const params = object({ ...times, users: listOf(user, { min: 1 }) })
  return listOf(object({ operation_type: oneOf(['Update', 'Delete']), params }), { min: 1, max: MAX_OPERATIONS })
}

export const batchRulesText =
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
export function applyBatch(
  request: RawRequest,
  { kind, accountId, audienceKey, repeat, absent, assertAllowed }: Batch,
  { memberships, batchReader, now }: BatchServices,
) {
  if (isEmpty(request))
    throw new Problem('invalid-request', {
      errors: [{ code: 'INVALID_PARAMETER', message: 'Expected a list of operations as the request body' }],
    })
  const nowMs = now()
  return batchReader.read(request.body!, { kind, accountId, nowMs }, async (batch) => {
    const repeated = repeat && { request: repeat(batch.operations) }
    if ('requestErrors' in batch) throw new Problem('invalid-request', { errors: batch.requestErrors })
    if ('operationErrors' in batch) throw new Problem('invalid-request', { operation_errors: batch.operationErrors, ...repeated })
    const { packed, users } = batch
    await assertAllowed?.()
    if (!(await memberships.apply(audienceKey, packed, nowMs))) throw absent()
    return { ...repeated, data: [{ success_count: users, total_count: users }] }
  })
}
