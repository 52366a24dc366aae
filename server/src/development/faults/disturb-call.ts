import { overLimitNow, type RateLimits } from '../../access/rate-limits.ts'
import type { ProblemOptions } from '../../api/answer/serialize-problem.ts'
import { areas } from '../../api/areas.ts'
import type { Caller } from '../../api/declare/auth.ts'
import type { Endpoint } from '../../api/declare/endpoint.ts'
import { Problem, type ProblemName } from '../../api/declare/problem.ts'
import type { RawAnswer, RawRequest } from '../../api/declare/raw-request.ts'
import type { Disturb } from '../../api/serve.ts'
import type { App } from '../../storage/apps.ts'
import { type Effect, type Fault, GARBAGE } from './fault.ts'
import type { Faults } from './faults.ts'
import type { Pauses } from './pauses.ts'

/** What a call is refused with, by status. 429 has the headers of a limit besides. */
const problems: Record<number, ProblemName> = {
  400: 'invalid-request',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not-found',
  408: 'request-timeout',
  409: 'conflict',
  413: 'too-large',
  429: 'too-many-requests',
  500: 'internal',
  503: 'unavailable',
}

/** The statuses that a fault can refuse a call with. */
export const callStatuses = Object.keys(problems).map(Number)

const OVER_LIMIT = 429

export interface DisturbOptions {
  faults: Faults
  pauses: Pauses
  limits: RateLimits
  problemOptions: ProblemOptions
  now: () => number
}

/** The header of an answer that a fault made. */
const FAULT_HEADER = 'x-postern-fault'

const appOf = (caller: Caller) => ({ id: (caller as Partial<{ app: App }>).app?.id })

/** Lets faults hit calls of the public hosts. */
export function createDisturb({ faults, pauses, limits, problemOptions, now }: DisturbOptions): Disturb {
  const refusal = (status: number, endpoint: Endpoint, { query }: RawRequest) =>
    status === OVER_LIMIT ? overLimitNow(endpoint, query, limits, now()) : new Problem(problems[status]!)

  const answerOf = async (
    effect: Effect,
    endpoint: Endpoint,
    request: RawRequest,
    answer: () => Promise<RawAnswer>,
  ): Promise<RawAnswer> => {
    const area = areas[endpoint.area]
    if (effect.kind === 'status') return area.refuse(refusal(effect.status, endpoint, request), problemOptions)
    if (effect.kind === 'garbage')
      return { status: 200, headers: { ...area.headers, 'content-type': 'application/json; charset=utf-8' }, body: GARBAGE }
    if (effect.kind === 'cut') return { ...(await answer()), cut: true }
    if (effect.kind === 'delay') await pauses.pause(effect.delayMs)
    return answer()
  }

  const mark = (answer: RawAnswer, { id, effect }: Fault): RawAnswer => ({
    ...answer,
    headers: { ...answer.headers, [FAULT_HEADER]: id },
    fault: id,
    ...(effect.kind === 'status' && { refused: { reason: `Fault ${id} refused the call with ${effect.status}.` } }),
  })

  return async (endpoint, request, caller, answer) => {
    if (endpoint.area === 'operator') return answer()
    const fault = faults.takeCall(request, caller && appOf(caller))
    return fault ? mark(await answerOf(fault.effect, endpoint, request, answer), fault) : answer()
  }
}
