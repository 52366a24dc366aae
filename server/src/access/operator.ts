import type { Auth, Caller } from '../api/declare/auth.ts'
import { Problem } from '../api/declare/problem.ts'
import { headerOf } from '../api/declare/raw-request.ts'
import type { ClientOriginOf } from './client-origin.ts'
import type { FailedAttempts } from './failed-attempts.ts'

interface OperatorServices {
  /** Compares in constant time; undefined without a configured token. */
  matchesOperatorToken: ((token: string) => boolean) | undefined
  originOf: ClientOriginOf
  /** Limits wrong tokens by address. The right one is served from anywhere. */
  failedAttempts: FailedAttempts
}

const unauthorized = () =>
  new Problem(
    'unauthorized',
    { detail: 'Operator endpoints need `Authorization: Bearer <operator token>`.' },
    { headers: { 'www-authenticate': 'Bearer realm="postern operator"' } },
  )

/** Authenticates the operator by the operator token. Without a configured token the operator endpoints do not exist. */
export const operator: Auth<Caller, OperatorServices> = {
  name: 'operatorToken',
  scheme: { type: 'http', scheme: 'bearer', description: 'The operator token (`POSTERN_OPERATOR_TOKEN`).' },
  async authenticate(request, { matchesOperatorToken, originOf, failedAttempts }) {
    if (matchesOperatorToken === undefined) throw new Problem('not-found')
    const [scheme = '', token = ''] = (headerOf(request, 'authorization') ?? '').split(/ +/, 2)
    const matches = matchesOperatorToken(token)
    if (scheme.toLowerCase() !== 'bearer' || !matches)
      throw await failedAttempts.refusal({ kind: 'operator_token', address: originOf(request).address }, unauthorized())
    return { rateKey: 'operator' }
  },
}
