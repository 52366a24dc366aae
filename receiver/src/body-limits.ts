import { HttpError } from './errors.ts'

/** How large a body may be, and how long it may take to arrive. */
export interface BodyLimits {
  maxBodyBytes: number
  bodyTimeoutMs: number
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
