import { isShownTo } from '../../access/client-origin.ts'
import type { OperatorServices } from '../../access/operator.ts'
import { Problem } from '../../api/declare/problem.ts'
import { headerOf, type RawRequest } from '../../api/declare/raw-request.ts'

/** Whether a client may see explanations: one on this machine, or one that sends the operator token. To a container even its own machine is another one. */
export async function isShownToSender(request: RawRequest, { operatorOf, originOf, failedAttempts }: OperatorServices): Promise<boolean> {
  const { address } = originOf(request)
  if (isShownTo({ address })) return true
  const [scheme = '', token = ''] = (headerOf(request, 'authorization') ?? '').split(/ +/, 2)
  if (scheme.toLowerCase() !== 'bearer' || token === '') return false
  if (operatorOf?.(token) !== undefined) return true
  // Counted as at operator endpoints: here, too, a token can be guessed.
  await failedAttempts.refusal({ kind: 'operator_token', address }, new Problem('unauthorized'))
  return false
}
