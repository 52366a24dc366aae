import { HttpError } from './errors.ts'

/** How large a body may be, and how long it may take to arrive. */
export interface BodyLimits {
  maxBodyBytes: number
  bodyTimeoutMs: number
}

/** A timer that is set to more fires at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

/** Throws a TypeError for limits that would not limit, or refuse every body. */
export function assertLimits({ maxBodyBytes, bodyTimeoutMs }: BodyLimits): void {
  if (!(Number.isFinite(maxBodyBytes) && maxBodyBytes > 0))
    throw new TypeError(`maxBodyBytes must be a finite number of bytes above 0, and is ${maxBodyBytes}`)
  if (!(Number.isFinite(bodyTimeoutMs) && bodyTimeoutMs > 0 && bodyTimeoutMs <= LONGEST_TIMER_MS))
    throw new TypeError(`bodyTimeoutMs must be a number of milliseconds above 0 and at most ${LONGEST_TIMER_MS}, and is ${bodyTimeoutMs}`)
}

export const tooLarge = ({ maxBodyBytes }: BodyLimits) => new HttpError(413, `The body is larger than ${maxBodyBytes} bytes.`)

export const timedOut = ({ bodyTimeoutMs }: BodyLimits) => new HttpError(408, `The body did not arrive within ${bodyTimeoutMs} ms.`)

export const connectionClosed = () => new HttpError(400, 'The connection was closed before the body was complete.')

export const alreadyRead = () =>
  new HttpError(
    500,
    'The raw body is needed to verify the signature, but it has been read already: no body parser (express.json(), body-parser) ' +
      "may run before this handler. Mount the receiver before it, or put express.raw({ type: '*/*' }) on this route instead.",
  )

/** Rejects a Content-Length over the limit before anything is read. */
export function checkContentLength(contentLength: unknown, limits: BodyLimits): void {
  if (Number(contentLength ?? 0) > limits.maxBodyBytes) throw tooLarge(limits)
}
