import { overLimitNow, type RateLimits } from '../../access/rate-limits.ts'
import type { ProblemOptions } from '../../api/answer/serialize-problem.ts'
import { areas } from '../../api/areas.ts'
import type { Caller } from '../../api/declare/auth.ts'
import { type Dialect, xPathOf } from '../../api/declare/dialect.ts'
import type { Endpoint } from '../../api/declare/endpoint.ts'
import { Problem, type ProblemName } from '../../api/declare/problem.ts'
import { headerOf, type RawAnswer, type RawRequest } from '../../api/declare/raw-request.ts'
import type { Disturb } from '../../api/serve.ts'
import type { App } from '../../storage/apps.ts'
import type { User } from '../../storage/users.ts'
import type { DisturbedCall } from './disorder.ts'
import type { Disorders } from './disorders.ts'
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
  disorders: Disorders
  dialect: Pick<Dialect, 'name'>
  /** Whether a page is one of the tools of development, which nothing hits. */
  isTool: (endpointName: string) => boolean
  pauses: Pauses
  limits: RateLimits
  problemOptions: ProblemOptions
  now: () => number
}

/** The header of an answer that a fault made. */
const FAULT_HEADER = 'x-postern-fault'

/** `off` exempts a call from disorders: the test kit sends it. */
export const DISORDER_HEADER = 'x-postern-disorder'

const appOf = (caller: Caller) => ({ id: (caller as Partial<{ app: App }>).app?.id })

function disturbedCall({ method, path }: Endpoint, caller: Caller, dialect: Pick<Dialect, 'name'>): DisturbedCall {
  const { app, user } = caller as Partial<{ app: App; user: User }>
  const shownPath = dialect.name === 'x' ? xPathOf(path) : path
  return { key: `${method} ${path}`, what: `${method} ${shownPath}`, method, appId: app?.id, userId: user?.id }
}

/** Lets faults hit calls of the public hosts. */
export function createDisturb({ faults, disorders, dialect, isTool, pauses, limits, problemOptions, now }: DisturbOptions): Disturb {
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

  const mark = (answer: RawAnswer, { id, effect }: Pick<Fault, 'id' | 'effect'>): RawAnswer => ({
    ...answer,
    headers: { ...answer.headers, [FAULT_HEADER]: id },
    fault: id,
    ...(effect.kind === 'status' && { refused: { reason: `Fault ${id} refused the call with ${effect.status}.` } }),
  })

  /** Only of a known caller, by whom it is counted. */
  const drawnFor = (endpoint: Endpoint, request: RawRequest, caller: Caller | undefined) =>
    caller === undefined || headerOf(request, DISORDER_HEADER) === 'off'
      ? undefined
      : disorders.takeCall(disturbedCall(endpoint, caller, dialect))

  return async (endpoint, request, caller, answer) => {
    if (endpoint.area === 'operator' || isTool(endpoint.name)) return answer()
    const fault = faults.takeCall(request, caller && appOf(caller)) ?? drawnFor(endpoint, request, caller)
    return fault ? mark(await answerOf(fault.effect, endpoint, request, answer), fault) : answer()
  }
}
