import type { Auth, Caller } from '../api/declare/auth.ts'
import { Problem } from '../api/declare/problem.ts'
import { headerOf, type RawRequest } from '../api/declare/raw-request.ts'
import { constantTimeMatcher } from '../lib/crypto.ts'

export const operatorRoles = ['read', 'operate'] as const

/** Who calls the operator endpoints, as far as the token tells. */
export interface Operator {
  /** Null for the token that has none. */
  name: string | null
  /** `read` allows GET alone, `operate` everything. */
  role: (typeof operatorRoles)[number]
}

export interface OperatorToken extends Operator {
  token: string
}

export interface OperatorCaller extends Caller {
  operator: Operator
}

/** Whose token it is. */
export type OperatorOf = (token: string) => Operator | undefined

export interface OperatorServices {
  /** Undefined without a configured token. */
  operatorOf: OperatorOf | undefined
}

/** Finds out whose token was sent. Compares with every token in constant time, whichever matches; undefined when there are none. */
export function createOperatorOf(tokens: readonly OperatorToken[]): OperatorOf | undefined {
  const known = tokens.map(({ token, name, role }) => ({ operator: { name, role }, matches: constantTimeMatcher(token) }))
  return known.length === 0 ? undefined : (given) => known.filter(({ matches }) => matches(given))[0]?.operator
}

const onlyReads = ({ method }: RawRequest) => method === 'GET' || method === 'HEAD'

const mayOnlyRead = (caller: OperatorCaller, { method }: RawRequest) =>
  Object.assign(
    new Problem('forbidden', { detail: `This operator token has the role read, which allows GET; ${method} needs the role operate.` }),
    { caller },
  )

/** The operator: whoever has an operator token. Without a configured token the operator endpoints do not exist. */
export const operator: Auth<OperatorCaller, OperatorServices> = {
  name: 'operatorToken',
  scheme: {
    type: 'http',
    scheme: 'bearer',
    description:
      'An operator token (`POSTERN_OPERATOR_TOKEN` or one of `POSTERN_OPERATOR_TOKENS`). One with the role `read` allows GET alone.',
  },
  async authenticate(request, { operatorOf }) {
    if (operatorOf === undefined) throw new Problem('not-found')
    const [scheme = '', token = ''] = (headerOf(request, 'authorization') ?? '').split(/ +/, 2)
    const found = operatorOf(token)
    if (scheme.toLowerCase() !== 'bearer' || !found)
      throw new Problem(
        'unauthorized',
        { detail: 'Operator endpoints need `Authorization: Bearer <operator token>`.' },
        { headers: { 'www-authenticate': 'Bearer realm="postern operator"' } },
      )
    const caller: OperatorCaller = { operator: found, rateKey: 'operator' }
    if (found.role === 'read' && !onlyReads(request)) throw mayOnlyRead(caller, request)
    return caller
  },
}
