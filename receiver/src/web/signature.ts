import type { SignedBody } from '../signatures.ts'
import { assertSecrets, isRawBody, isSignature, SIGNATURE_PREFIX } from '../signatures.ts'

const utf8 = new TextEncoder()

const HMAC = { name: 'HMAC', hash: 'SHA-256' }

const keyOf = (secret: string, use: 'sign' | 'verify') => crypto.subtle.importKey('raw', utf8.encode(secret), HMAC, false, [use])

const bytesOf = (message: string | Uint8Array) => (typeof message === 'string' ? utf8.encode(message) : message) as Uint8Array<ArrayBuffer>

/** The signature of a message: `sha256=` and the base64 of HMAC-SHA256 with the consumer secret as key (§4.2). */
export async function sign(secret: string, message: string | Uint8Array): Promise<string> {
  const bytes = new Uint8Array(await crypto.subtle.sign(HMAC.name, await keyOf(secret, 'sign'), bytesOf(message)))
  return SIGNATURE_PREFIX + btoa(String.fromCharCode(...bytes))
}

/** The bytes of a signature. Several base64 texts decode to the same bytes: only the one that a sender writes counts. */
function decode(header: string): Uint8Array<ArrayBuffer> | undefined {
  const base64 = header.slice(SIGNATURE_PREFIX.length)
  const bytes = atob(base64)
  return btoa(bytes) === base64 ? Uint8Array.from(bytes, (char) => char.charCodeAt(0)) : undefined
}

/** The secret whose signature over `message` the header carries, undefined if there is none. Each is tried; `verify` compares in constant time. */
export async function findSigningSecret(
  header: unknown,
  message: string | Uint8Array,
  secrets: readonly string[],
): Promise<string | undefined> {
  const given = isSignature(header) ? decode(header) : undefined
  if (given === undefined) return undefined
  const matches = async (secret: string) => crypto.subtle.verify(HMAC.name, await keyOf(secret, 'verify'), given, bytesOf(message))
  const matching = await Promise.all(secrets.map(matches))
  return secrets[matching.indexOf(true)]
}

/**
 * Whether `header`, `sha256=<base64>`, is the signature of exactly these body bytes with one of the consumer secrets (§4.2).
 *
 * `body` is the raw body, as bytes or as text (taken as UTF-8), before any parsing. A header or body of another type
 * resolves to false, whatever was sent. Only invalid `secrets` reject, with a TypeError.
 */
export async function verifySignature({ header, body, secrets }: SignedBody): Promise<boolean> {
  assertSecrets(secrets)
  return isRawBody(body) && (await findSigningSecret(header, body, secrets)) !== undefined
}
