import { randomBytes, randomInt } from 'node:crypto'

const ALPHANUMERIC = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

/** So many random letters and digits, each as likely as any other. */
export const randomAlphanumeric = (length: number): string =>
  Array.from({ length }, () => ALPHANUMERIC[randomInt(ALPHANUMERIC.length)]).join('')

/** So many random digits. */
export const randomDigits = (length: number): string => String(randomInt(10 ** length)).padStart(length, '0')

/** So many random bytes, in the alphabet of URLs. */
export const randomUrlText = (bytes: number): string => randomBytes(bytes).toString('base64url')
