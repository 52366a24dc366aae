import { createHmac } from 'node:crypto'

/** `sha256=` and the base64 of HMAC-SHA256 with the consumer secret as key: the form of every signature here (§4.2). */
export const sign = (secret: string, message: string | Uint8Array): string =>
  `sha256=${createHmac('sha256', secret).update(message).digest('base64')}`
