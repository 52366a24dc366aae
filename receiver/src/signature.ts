import { createHmac, timingSafeEqual } from 'node:crypto'

/** The headers that may carry a signature, lower case: the specification's (§4.2), and that of dialect `x`. */
export const SIGNATURE_HEADERS = ['x-service-webhooks-signature', 'x-twitter-webhooks-signature'] as const

const SIGNATURE_FORM = /^sha256=[A-Za-z0-9+/]{43}=$/

/** The signature of a message: `sha256=` and the base64 of HMAC-SHA256 with the consumer secret as key (§4.2). */
export const sign = (secret: string, message: string | Uint8Array): string =>
  `sha256=${createHmac('sha256', secret).update(message).digest('base64')}`

/** The signature header of a request, undefined if it has none. */
export function readSignature(header: (name: string) => unknown): unknown {
  for (const name of SIGNATURE_HEADERS) {
    const value = header(name)
    if (value !== undefined && value !== null) return value
  }
  return undefined
}

/**
 * Throws a TypeError unless `secrets` is a list of one or more consumer secrets. An empty secret is refused because
 * anybody can sign with it, and a plain string because each of its characters would count as a secret.
 */
export function assertSecrets(secrets: readonly string[]): void {
  const isList = Array.isArray(secrets) && secrets.length > 0
  if (isList && secrets.every((secret) => typeof secret === 'string' && secret !== '')) return
  throw new TypeError('secrets must be an array of one or more non-empty consumer secrets: secrets: [consumerSecret]')
}

/**
 * The secret whose signature over `message` the header carries, undefined if there is none. Each secret is tried, and
 * compared in constant time. The signatures are compared as text, because several base64 texts decode to the same bytes.
 */
export function findSigningSecret(header: unknown, message: string | Uint8Array, secrets: readonly string[]): string | undefined {
  if (typeof header !== 'string' || !SIGNATURE_FORM.test(header)) return undefined
  const given = Buffer.from(header)
  return secrets.filter((secret) => timingSafeEqual(given, Buffer.from(sign(secret, message))))[0]
}

/**
 * Whether `header`, `sha256=<base64>`, is the signature of exactly these body bytes with one of the consumer secrets (§4.2).
 *
 * `body` is the raw body, as bytes or as text (taken as UTF-8), before any parsing. A header or body of another type
 * returns false, whatever was sent. Only invalid `secrets` throw, a TypeError.
 */
export function verifySignature({ header, body, secrets }: { header: unknown; body: unknown; secrets: readonly string[] }): boolean {
  assertSecrets(secrets)
  if (typeof body !== 'string' && !(body instanceof Uint8Array)) return false
  return findSigningSecret(header, body, secrets) !== undefined
}
