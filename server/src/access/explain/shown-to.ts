import { Problem } from '../../api/declare/problem.ts'
import { headerOf, type RawRequest } from '../../api/declare/raw-request.ts'
import type { ClientOrigin } from '../client-origin.ts'
import type { OperatorServices } from '../operator.ts'

const LOOPBACK = /^(127\.\d+\.\d+\.\d+|::1)$/

/** Whether a client may see explanations: one on this machine. They say more than answers do, and development may be open to a network. */
export const isShownTo = ({ address }: Pick<ClientOrigin, 'address'>): boolean => LOOPBACK.test(address)

/** The same, or a client that sends the operator token: to a container even its own machine is another one. */
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
