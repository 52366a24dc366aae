import { constantTimeMatcher } from '../lib/crypto.ts'

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

/** Looks up the operator of a token. */
export type OperatorOf = (token: string) => Operator | undefined

/** Compares a token with each configured one in constant time. Undefined without configured tokens. */
export function createOperatorOf(tokens: readonly OperatorToken[]): OperatorOf | undefined {
  const known = tokens.map(({ token, name, role }) => ({ operator: { name, role }, matches: constantTimeMatcher(token) }))
  return known.length === 0 ? undefined : (given) => known.filter(({ matches }) => matches(given))[0]?.operator
}
