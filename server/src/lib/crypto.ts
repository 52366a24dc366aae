import { createHmac, hash, type KeyObject, randomBytes, randomInt, timingSafeEqual } from 'node:crypto'

/** `sha256=` and the base64 of HMAC-SHA256: the form of every webhook signature (§4.2). */
export const signature = (key: string | Buffer | KeyObject, message: string | Uint8Array): string =>
  `sha256=${createHmac('sha256', key).update(message).digest('base64')}`

/** The base64 of HMAC-SHA1: the form of every OAuth 1.0a signature (§5.2). */
export const hmacSha1 = (key: string, message: string): string => createHmac('sha1', key).update(message).digest('base64')

/** The bytes of an HMAC. */
export const hmac = (hash: 'sha1' | 'sha256', key: string, message: string): Buffer => createHmac(hash, key).update(message).digest()

/** Compares two texts of a length that everybody knows, such as signatures, in a time that depends on neither. */
export function sameLengthEqualInConstantTime(one: string, other: string): boolean {
  const [bytes, otherBytes] = [Buffer.from(one), Buffer.from(other)]
  return bytes.length === otherBytes.length && timingSafeEqual(bytes, otherBytes)
}

/** Compares two texts in a time that depends on neither, nor on their lengths. */
export const equalInConstantTime = (one: string, other: string): boolean => timingSafeEqual(sha256(one), sha256(other))

/** For a secret that is compared with over and over: hashes it once, and answers what `equalInConstantTime` would. */
export function constantTimeMatcher(secret: string): (given: string) => boolean {
  const expected = sha256(secret)
  return (given) => timingSafeEqual(sha256(given), expected)
}

/** SHA-256 of a text in hexadecimal: by which what must not be stored in the clear is found. */
export const sha256Hex = (text: string): string => hash('sha256', text, 'hex')

/** SHA-256 of a text, as bytes. */
export const sha256 = (text: string): Buffer => hash('sha256', text, 'buffer')

const ALPHANUMERIC = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

/** So many random letters and digits, each as likely as any other. */
export const randomAlphanumeric = (length: number): string =>
  Array.from({ length }, () => ALPHANUMERIC[randomInt(ALPHANUMERIC.length)]).join('')

/** So many random digits. */
export const randomDigits = (length: number): string => String(randomInt(10 ** length)).padStart(length, '0')

/** So many random bytes, in the alphabet of URLs. */
export const randomUrlText = (bytes: number): string => randomBytes(bytes).toString('base64url')
