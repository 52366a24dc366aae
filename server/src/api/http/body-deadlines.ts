import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { Clock } from '../../lib/clock.ts'
import { MINUTE_MS, SECOND_MS } from '../../lib/time.ts'
import type { HostLimits } from '../declare/host-limits.ts'

/** What Node says of a request that does not come in time. */
export const LATE = 'ERR_HTTP_REQUEST_TIMEOUT'

/** A request that does not come in time; `reason` says why, in words that follow "did not come in time:". */
export class LateRequest extends Error {
  readonly code = LATE
  readonly reason: string

  constructor(reason: string) {
    super(`the request did not come in time: ${reason}`)
    this.reason = reason
  }
}

const hasBody = ({ headers }: IncomingMessage) => headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

/**
 * Ends requests whose bodies come too slowly, on a listener that also takes uploads: Node has one limit for all of a listener, which is
 * there as long as an upload may take. Others must come within the usual time; of an upload bytes must keep coming.
 */
export function createBodyDeadlines(
  clock: Pick<Clock, 'after' | 'monotonic'>,
  { requestTimeoutMs, uploadTimeoutMs, uploadStalledMs, checkIntervalMs }: HostLimits,
  end: (error: LateRequest, socket: Socket) => void,
) {
  /** Asks `whyLate` after each interval, until the body has come or there is a reason. */
  function watch(request: IncomingMessage, intervalMs: number, whyLate: () => string | undefined) {
    const { socket } = request
    const look = () => {
      if (request.complete || request.destroyed) return
      const reason = whyLate()
      if (reason === undefined) timer = clock.after(intervalMs, look)
      else end(new LateRequest(reason), socket)
    }
    let timer = clock.after(intervalMs, look)
    const stop = () => timer.cancel()
    request.once('end', stop).once('close', stop)
  }

  return {
    /** Of a request whose headers have come. */
    begin(request: IncomingMessage, isUpload: boolean) {
      if (!hasBody(request)) return
      if (!isUpload) return watch(request, requestTimeoutMs, () => `all of it must within ${requestTimeoutMs / SECOND_MS} s`)
      const { socket } = request
      let received = socket.bytesRead
      let receivedAtMs = clock.monotonic()
      const beganAtMs = receivedAtMs
      watch(request, checkIntervalMs, () => {
        const nowMs = clock.monotonic()
        if (nowMs - beganAtMs >= uploadTimeoutMs) return `an upload must within ${uploadTimeoutMs / MINUTE_MS} minutes`
        // What waits here to be read is no fault of the client.
        if (socket.bytesRead !== received || request.readableLength > 0) {
          received = socket.bytesRead
          receivedAtMs = nowMs
        }
        return nowMs - receivedAtMs < uploadStalledMs ? undefined : `no byte of the upload came for ${uploadStalledMs / SECOND_MS} s`
      })
    },
  }
}
