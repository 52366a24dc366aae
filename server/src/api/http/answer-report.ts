import type { Clock } from '../../lib/clock.ts'
import type { RawAnswer } from '../declare/raw-request.ts'
import type { Exchange } from './exchange.ts'

/** Told of each answer: the name of the endpoint or page, or `NO_ENDPOINT`, the status, and the time since the headers of the request. */
export type AnswerListener = (endpoint: string, status: number, durationMs: number) => void

/** All requests that reach no endpoint are counted together, so that strangers cannot make up names. */
const NO_ENDPOINT = 'none'

/** Tells a listener of answers. */
export function createAnswerReport(answered: AnswerListener, clock: Pick<Clock, 'monotonic'>) {
  const durationMs = ({ receivedMs }: Exchange) => clock.monotonic() - receivedMs
  return {
    durationMs,
    sent: (exchange: Exchange, { endpoint = NO_ENDPOINT, status }: RawAnswer) => answered(endpoint, status, durationMs(exchange)),
    /** A request that was refused before it reached the host. */
    refused: (status: number) => answered(NO_ENDPOINT, status, 0),
  }
}
export type AnswerReport = ReturnType<typeof createAnswerReport>
