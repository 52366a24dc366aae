import { createHmac, timingSafeEqual } from 'node:crypto'
import type { SignedBody } from '../signatures.ts'
import { assertSecrets, isRawBody, isSignature, SIGNATURE_PREFIX } from '../signatures.ts'

/** The signature of a message: `sha256=` and the base64 of HMAC-SHA256 with the consumer secret as key (§4.2). */
export const sign = (secret: string, message: string | Uint8Array): string =>
  `${SIGNATURE_PREFIX}${createHmac('sha256', secret).update(message).digest('base64')}`

/**
 * The secret whose signature over `message` the header carries, undefined if there is none. Each secret is tried, and
 * compared in constant time. The signatures are compared as text, because several base64 texts decode to the same bytes.
 */
export function findSigningSecret(header: unknown, message: string | Uint8Array, secrets: readonly string[]): string | undefined {
  if (!isSignature(header)) return undefined
  const given = Buffer.from(header)
  return secrets.filter((secret) => timingSafeEqual(given, Buffer.from(sign(secret, message))))[0]
}

/**
 * Whether `header`, `sha256=<base64>`, is the signature of exactly these body bytes with one of the consumer secrets (§4.2).
 *
 * `body` is the raw body, as bytes or as text (taken as UTF-8), before any parsing. A header or body of another type
 * returns false, whatever was sent. Only invalid `secrets` throw, a TypeError.
 */
export function verifySignature({ header, body, secrets }: SignedBody): boolean {
  assertSecrets(secrets)
  return isRawBody(body) && findSigningSecret(header, body, secrets) !== undefined
}
