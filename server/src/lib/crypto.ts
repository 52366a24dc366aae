import { createHmac, hash, hkdfSync, type KeyObject, randomBytes, randomInt, timingSafeEqual } from 'node:crypto'

/** `sha256=` and the base64 of an HMAC-SHA256: the format of webhook signatures (§4.2). */
export const signature = (key: string | Buffer | KeyObject, message: string | Uint8Array): string =>
  `sha256=${createHmac('sha256', key).update(message).digest('base64')}`

/** The bytes of an HMAC. */
export const hmac = (hash: 'sha1' | 'sha256', key: string, message: string): Buffer => createHmac(hash, key).update(message).digest()

/** Compares two texts of a public length, such as signatures, in constant time. */
export function sameLengthEqualInConstantTime(one: string, other: string): boolean {
  const [bytes, otherBytes] = [Buffer.from(one), Buffer.from(other)]
  return bytes.length === otherBytes.length && timingSafeEqual(bytes, otherBytes)
}

/** Compares two texts in constant time, without revealing their lengths. */
export const equalInConstantTime = (one: string, other: string): boolean => timingSafeEqual(sha256(one), sha256(other))

/** `equalInConstantTime` for a secret that is compared often, which is hashed once. */
export function constantTimeMatcher(secret: string): (given: string) => boolean {
  const expected = sha256(secret)
  return (given) => timingSafeEqual(sha256(given), expected)
}

/** SHA-256 of a text in hexadecimal: the lookup key of values that must not be stored as plain text. */
export const sha256Hex = (text: string): string => hash('sha256', text, 'hex')

/** SHA-256 of a text, or of bytes, as bytes. */
export const sha256 = (data: string | Uint8Array): Buffer => hash('sha256', data, 'buffer')

const ALPHANUMERIC = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

/** Random letters and digits, uniformly distributed. */
export const randomAlphanumeric = (length: number): string =>
  Array.from({ length }, () => ALPHANUMERIC[randomInt(ALPHANUMERIC.length)]).join('')

/** Random digits. */
export const randomDigits = (length: number): string => String(randomInt(10 ** length)).padStart(length, '0')

/** Random bytes in base64url. */
export const randomUrlText = (bytes: number): string => randomBytes(bytes).toString('base64url')

/** Authenticates texts that this server made, without storing them. Each purpose has its own key. */
export interface Mac {
  /** The first `length` characters of the MAC of a text, in base64url. */
  sign(purpose: string, text: string, length: number): string
  isSigned(purpose: string, text: string, signature: string): boolean
}

/** HMAC-SHA256 with keys derived from `secrets`: the first signs, all verify. */
export function createMac(secrets: readonly string[]): Mac {
  const signWith = (secret: string, purpose: string, text: string, length: number) => {
    const key = Buffer.from(hkdfSync('sha256', secret, 'postern mac', purpose, 32))
    return createHmac('sha256', key).update(text).digest('base64url').slice(0, length)
  }
  return {
    sign: (purpose, text, length) => signWith(secrets[0]!, purpose, text, length),
    isSigned: (purpose, text, signature) =>
      secrets.some((secret) => sameLengthEqualInConstantTime(signWith(secret, purpose, text, signature.length), signature)),
  }
}
