import type { Auth, Caller } from '../api/declare/auth.ts'
import { because, Problem } from '../api/declare/problem.ts'
import { headerOf, type RawRequest } from '../api/declare/raw-request.ts'
import type { ClientOriginOf } from './client-origin.ts'
import type { FailedAttempts } from './failed-attempts.ts'
import type { Operator, OperatorOf } from './operator-of.ts'
import { assertFromConsole, type OperatorSessions } from './operator-sessions.ts'

export interface OperatorCaller extends Caller {
  operator: Operator
}

export interface OperatorServices {
  /** Undefined without a configured token. */
  operatorOf: OperatorOf | undefined
  /** Those of browsers that show the console. */
  operatorSessions: OperatorSessions
  originOf: ClientOriginOf
  /** Limits wrong tokens by address. The right one is served from anywhere. */
  failedAttempts: FailedAttempts
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

const WHERE = [
  'In development it is made at the first start: `.postern/operator-token` in the folder of the server has it, unless POSTERN_OPERATOR_TOKEN or POSTERN_OPERATOR_TOKENS says another.',
  'Paste: -H "Authorization: Bearer $(cat .postern/operator-token)"',
]

function whyRefused(scheme: string, token: string): string {
  if (scheme === '') return 'The request has no operator token.'
  if (scheme.toLowerCase() !== 'bearer') return 'The Authorization header is not `Bearer <operator token>`.'
  return token === '' ? 'The Authorization header is `Bearer` without a token.' : 'This is not an operator token of this server.'
}

/** The operator whose token a request carries, and the token. Throws for a missing or wrong one, which counts. */
async function byToken(request: RawRequest, { operatorOf, originOf, failedAttempts }: OperatorServices) {
  if (operatorOf === undefined) throw new Problem('not-found')
  const [scheme = '', token = ''] = (headerOf(request, 'authorization') ?? '').split(/ +/, 2)
  const found = operatorOf(token)
  if (scheme.toLowerCase() !== 'bearer' || !found)
    throw await failedAttempts.refusal(
      { kind: 'operator_token', address: originOf(request).address },
      because(unauthorized(), whyRefused(scheme, token), () => WHERE),
    )
  return { operator: found, token }
}

/** The operator whose session a request of the console carries, where it carries no token. */
function bySession(request: RawRequest, { operatorOf, operatorSessions, originOf }: OperatorServices): Operator | undefined {
  if (operatorOf === undefined || headerOf(request, 'authorization') !== undefined) return undefined
  const session = operatorSessions.of(request)
  if (session) assertFromConsole(request, originOf(request))
  return session?.operator
}

const callerOf = (found: Operator): OperatorCaller => ({ operator: found, rateKey: 'operator' })

/**
 * Authenticates an operator by an operator token, or the console by the session that it began with one. Without a configured token the
 * operator endpoints do not exist.
 */
export const operator: Auth<OperatorCaller, OperatorServices> = {
  name: 'operatorToken',
  scheme: {
    type: 'http',
    scheme: 'bearer',
    description:
      'An operator token (`POSTERN_OPERATOR_TOKEN` or one of `POSTERN_OPERATOR_TOKENS`). A token with the role `read` allows only GET.',
  },
  async authenticate(request, services) {
    const found = bySession(request, services) ?? (await byToken(request, services)).operator
    const caller = callerOf(found)
    if (found.role === 'read' && !onlyReads(request)) throw mayOnlyRead(caller, request)
    return caller
  },
}

/** An operator whose token begins a session of the console. A token that only reads begins one that only reads. */
export const operatorSigningIn: Auth<OperatorCaller & { token: string }, OperatorServices> = {
  ...operator,
  async authenticate(request, services) {
    const found = await byToken(request, services)
    return { ...callerOf(found.operator), token: found.token }
  },
}
