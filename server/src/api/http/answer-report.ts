import type { Clock } from '../../lib/clock.ts'
import type { RawAnswer } from '../declare/raw-request.ts'

/** Told of each answer: the name of the endpoint or page, or `NO_ENDPOINT`, the status, and the time since the headers of the request. */
export type AnswerListener = (endpoint: string, status: number, durationMs: number) => void

/** All requests that reach no endpoint are counted together, so that strangers cannot make up names. */
const NO_ENDPOINT = 'none'

/** When the headers of a request came, in monotonic milliseconds; 0 or nothing for one that was refused before. */
export const RECEIVED = 'receivedMs'
type Received = { [RECEIVED]?: number }

/** Tells a listener of answers. A request is an object that can hold when it came. */
export function createAnswerReport(answered: AnswerListener, clock: Pick<Clock, 'monotonic'>) {
  const durationMs = (request: object) => {
    const receivedMs = (request as Received)[RECEIVED]
    return receivedMs ? clock.monotonic() - receivedMs : 0
  }
  return {
    durationMs,
    received(request: object) {
      ;(request as Received)[RECEIVED] = clock.monotonic()
    },
    sent(request: object, { endpoint = NO_ENDPOINT, status }: RawAnswer) {
      answered(endpoint, status, durationMs(request))
    },
    /** A request that the library never saw. */
    refused: (status: number) => answered(NO_ENDPOINT, status, 0),
  }
}
export type AnswerReport = ReturnType<typeof createAnswerReport>
