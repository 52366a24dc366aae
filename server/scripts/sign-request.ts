import { randomBytes } from 'node:crypto'
import { baseString, encode, normalize, signingKey } from '../src/access/oauth1/base-string.ts'
import { hmacSha1 } from '../src/lib/crypto.ts'

const NONCE_BYTES = 16

export interface Signing {
  method: string
  /** With the query. */
  url: string
  /** What the body carries as a form. */
  form?: readonly (readonly [name: string, value: string])[]
  consumerKey: string
  consumerSecret: string
  /** Without a token an app signs for itself. */
  token?: string
  tokenSecret?: string
  /** Parameters of the protocol besides the usual ones. */
  oauth?: Record<string, string>
}

/** The Authorization header of a request signed with OAuth 1.0a, HMAC-SHA1, with a nonce of its own (RFC 5849, section 3). */
export function signRequest({ method, url, form = [], consumerKey, consumerSecret, token, tokenSecret = '', oauth }: Signing): string {
  const { origin, pathname, searchParams } = new URL(url)
  const parameters: Record<string, string> = {
    ...oauth,
    ...(token !== undefined && { oauth_token: token }),
    oauth_consumer_key: consumerKey,
    oauth_nonce: randomBytes(NONCE_BYTES).toString('hex'),
    oauth_signature_method: 'HMAC-SHA1',
    oauth_timestamp: String(Math.floor(Date.now() / 1000)),
  }
  const signed = [...searchParams, ...form, ...Object.entries(parameters)].map(([name, value]) => ({ name, value }))
  const base = baseString(method, origin + pathname, normalize(signed))
  const all = { ...parameters, oauth_signature: hmacSha1(signingKey(consumerSecret, tokenSecret), base) }
  return `OAuth ${Object.entries(all)
    .map(([name, value]) => `${name}="${encode(value)}"`)
    .join(', ')}`
}
