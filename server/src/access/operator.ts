import type { Auth, Caller } from '../api/declare/auth.ts'
import { Problem } from '../api/declare/problem.ts'
import { headerOf } from '../api/declare/raw-request.ts'

interface OperatorServices {
  /** Compares in constant time; undefined without a configured token. */
  matchesOperatorToken: ((token: string) => boolean) | undefined
}

/** Authenticates the operator by the operator token. Without a configured token the operator endpoints do not exist. */
export const operator: Auth<Caller, OperatorServices> = {
  name: 'operatorToken',
  scheme: { type: 'http', scheme: 'bearer', description: 'The operator token (`POSTERN_OPERATOR_TOKEN`).' },
  async authenticate(request, { matchesOperatorToken }) {
    if (matchesOperatorToken === undefined) throw new Problem('not-found')
    const [scheme = '', token = ''] = (headerOf(request, 'authorization') ?? '').split(/ +/, 2)
    const matches = matchesOperatorToken(token)
    if (scheme.toLowerCase() !== 'bearer' || !matches)
      throw new Problem(
        'unauthorized',
        { detail: 'Operator endpoints need `Authorization: Bearer <operator token>`.' },
        { headers: { 'www-authenticate': 'Bearer realm="postern operator"' } },
      )
    return { rateKey: 'operator' }
  },
}
