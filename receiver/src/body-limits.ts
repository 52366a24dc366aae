import { Refusal } from './refusal.ts'

/** How much of a body is read, and for how long. */
export interface BodyLimits {
  maxBodyBytes: number
  bodyTimeoutMs: number
}

export const tooLarge = ({ maxBodyBytes }: BodyLimits) => new Refusal(413, `The body is larger than ${maxBodyBytes} bytes.`)

export const tooSlow = ({ bodyTimeoutMs }: BodyLimits) => new Refusal(408, `The body did not arrive within ${bodyTimeoutMs} ms.`)

export const cutOff = () => new Refusal(400, 'The connection ended before the body did.')

export const alreadyRead = () =>
  new Refusal(
    500,
    'The raw body is needed to verify the signature, but it has been read already: no body parser (express.json(), body-parser) ' +
      "may run before this handler. Mount the receiver before it, or put express.raw({ type: '*/*' }) on this route instead.",
  )

/** Refuses a declared length before anything is read. */
export function checkDeclaredLength(contentLength: unknown, limits: BodyLimits): void {
  if (Number(contentLength ?? 0) > limits.maxBodyBytes) throw tooLarge(limits)
}
