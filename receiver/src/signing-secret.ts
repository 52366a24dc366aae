import { timingSafeEqual } from 'node:crypto'
import { sign } from './sign.ts'

const SIGNATURE_FORM = /^sha256=[A-Za-z0-9+/]{43}=$/

/**
 * The secret whose signature over `message` the header carries, undefined if there is none. Each secret is tried, and
 * compared in constant time; the signatures are compared as texts, since several base64 texts decode to the same bytes.
 */
export function signingSecret(header: unknown, message: string | Uint8Array, secrets: readonly string[]): string | undefined {
  if (typeof header !== 'string' || !SIGNATURE_FORM.test(header)) return undefined
  const given = Buffer.from(header)
  return secrets.filter((secret) => timingSafeEqual(given, Buffer.from(sign(secret, message))))[0]
}
