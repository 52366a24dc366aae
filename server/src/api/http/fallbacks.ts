import type { ProblemOptions } from '../answer/serialize-problem.ts'
import type { Area } from '../areas.ts'
import { malformedRequest, Problem, type ProblemName } from '../declare/problem.ts'
import type { RawAnswer, RawRequest } from '../declare/raw-request.ts'

/** How a host answers a request that reaches no route, or is none at all. */
export interface Fallbacks {
  /** `request` is what was sent, for whoever explains the answer. */
  notFound(path: string, request?: RawRequest): RawAnswer
  tooLarge(path: string, limitBytes: number): RawAnswer
  badRequest(path: string, why: string): RawAnswer
  refused(path: string, kind: ProblemName, detail: string): RawAnswer
  /** More large bodies come than are taken in at once. */
  busy(path: string): RawAnswer
  notReady(path: string): RawAnswer
  broken(path: string): RawAnswer
}

const BUSY_RETRY_SECONDS = '1'

/** Refuses what comes while too much of its kind is in progress. */
export const busy = () =>
  new Problem(
    'unavailable',
    { detail: 'Too many large requests are in progress; retry in a moment.' },
    { headers: { 'retry-after': BUSY_RETRY_SECONDS } },
  )

/** The fallbacks of a host whose paths are of these areas. */
export function fallbacksOf(problemOptions: ProblemOptions, areaAt: (path: string) => Area): Fallbacks {
  const refuse = (path: string, problem: Problem) => areaAt(path).refuse(problem, problemOptions)
  const refused = (path: string, kind: ProblemName, detail: string) => refuse(path, new Problem(kind, { detail }))
  return {
    notFound: (path) => refuse(path, areaAt(path).nothingAt(path)),
    tooLarge: (path, limitBytes) => refused(path, 'too-large', `The request body is larger than ${limitBytes} bytes.`),
    badRequest: (path, why) => refuse(path, malformedRequest([{ message: why }])),
    refused,
    busy: (path) => refuse(path, busy()),
    notReady: (path) => refused(path, 'unavailable', 'The server is starting or shutting down; retry in a moment.'),
    broken: (path) => refuse(path, new Problem('internal')),
  }
}
