import { createHmac, hkdfSync } from 'node:crypto'
import { sameLengthEqualInConstantTime } from './crypto.ts'

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
