import type { Auth, Caller } from '../api/declare/auth.ts'
import { Problem } from '../api/declare/problem.ts'
import { headerOf, type RawRequest } from '../api/declare/raw-request.ts'
import { constantTimeMatcher } from '../lib/crypto.ts'
import type { ClientOriginOf } from './client-origin.ts'
import type { FailedAttempts } from './failed-attempts.ts'

export const operatorRoles = ['read', 'operate'] as const

/** The holder of an operator token. */
export interface Operator {
  /** Null for `POSTERN_OPERATOR_TOKEN`. */
  name: string | null
  /** `read` allows only GET, `operate` everything. */
  role: (typeof operatorRoles)[number]
}

export interface OperatorToken extends Operator {
  token: string
}

export interface OperatorCaller extends Caller {
  operator: Operator
}

/** Looks up the operator of a token. */
export type OperatorOf = (token: string) => Operator | undefined

export interface OperatorServices {
  /** Undefined without a configured token. */
  operatorOf: OperatorOf | undefined
  originOf: ClientOriginOf
  /** Limits wrong tokens by address. The right one is served from anywhere. */
  failedAttempts: FailedAttempts
}

/** Compares a token with each configured one in constant time. Undefined without configured tokens. */
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

const unauthorized = () =>
  new Problem(
    'unauthorized',
    { detail: 'Operator endpoints need `Authorization: Bearer <operator token>`.' },
    { headers: { 'www-authenticate': 'Bearer realm="postern operator"' } },
  )

/** Authenticates an operator by an operator token. Without a configured token the operator endpoints do not exist. */
export const operator: Auth<OperatorCaller, OperatorServices> = {
  name: 'operatorToken',
  scheme: {
    type: 'http',
    scheme: 'bearer',
    description:
      'An operator token (`POSTERN_OPERATOR_TOKEN` or one of `POSTERN_OPERATOR_TOKENS`). A token with the role `read` allows only GET.',
  },
  async authenticate(request, { operatorOf, originOf, failedAttempts }) {
    if (operatorOf === undefined) throw new Problem('not-found')
    const [scheme = '', token = ''] = (headerOf(request, 'authorization') ?? '').split(/ +/, 2)
    const found = operatorOf(token)
    if (scheme.toLowerCase() !== 'bearer' || !found)
      throw await failedAttempts.refusal({ kind: 'operator_token', address: originOf(request).address }, unauthorized())
    const caller: OperatorCaller = { operator: found, rateKey: 'operator' }
    if (found.role === 'read' && !onlyReads(request)) throw mayOnlyRead(caller, request)
    return caller
  },
}
