import type { ProblemName } from '../declare/problem.ts'
import type { RawAnswer } from '../declare/raw-request.ts'

/** How a host answers what reaches no route, or is not a request at all. */
export interface Fallbacks {
  notFound(path: string): RawAnswer
  tooLarge(path: string, limitBytes: number): RawAnswer
  badRequest(path: string, why: string): RawAnswer
  refused(path: string, kind: ProblemName, detail: string): RawAnswer
  /** More large bodies come than are taken in at once. */
  busy(path: string): RawAnswer
  notReady(path: string): RawAnswer
  broken(path: string): RawAnswer
}
