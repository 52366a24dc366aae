import { byNameAndValue, encode, type Parameter, signingKey } from '../../../access/oauth1/base-string.ts'
import type { RejectedSignature } from '../../../access/oauth1/verify.ts'
import { hmac } from '../../../lib/crypto.ts'

/** A parameter as a client may have signed it; `from` is missing when it was not sent as one. */
export type Pair = Omit<Parameter, 'from'> & Partial<Pick<Parameter, 'from'>>

/** All inputs of a signature. Contains plain-text secrets. */
export interface Signing {
  method: string
  origin: string
  /** May contain other parts of the URL by mistake. */
  path: string
  parameters: readonly Pair[]
  isSorted: boolean
  /** How names and values were encoded. */
  encode: (text: string) => string
  /** How the base string was joined from its three parts. */
  join: (method: string, uri: string, line: string) => string
  consumerSecret: string
  tokenSecret: string
  key: (consumerSecret: string, tokenSecret: string) => string
  hash: 'sha1' | 'sha256'
  /** How the signature was encoded. */
  write: (digest: Buffer) => string
}

/** The listener's origin that the client most probably called. */
function nearestOrigin({ request, client }: RejectedSignature): string {
  const { host, 'x-forwarded-host': forwarded } = request.headers
  const called = String(forwarded ?? host ?? '').toLowerCase()
  return client.origins.find((origin) => new URL(origin).host === called) ?? client.origins[0]!
}

/** The correct signing. */
export const rightSigning = (
  refusal: RejectedSignature,
  { method, path, parameters }: NonNullable<RejectedSignature['signed']>,
): Signing => ({
  method: method.toUpperCase(),
  origin: nearestOrigin(refusal),
  path,
  parameters,
  isSorted: true,
  encode,
  join: (...parts) => parts.map((part, place) => (place === 0 ? part : encode(part))).join('&'),
  consumerSecret: refusal.app?.consumerSecret ?? '',
  tokenSecret: refusal.tokenSecret ?? '',
  key: signingKey,
  hash: 'sha1',
  write: (digest) => digest.toString('base64'),
})

/** The base string of a signing. */
export function baseOf({ method, origin, path, parameters, isSorted, encode, join }: Signing): string {
  const encoded = parameters.map(({ name, value }): [string, string] => [encode(name), encode(value)])
  const line = (isSorted ? encoded.sort(byNameAndValue) : encoded).map((pair) => pair.join('=')).join('&')
  return join(method, origin + path, line)
}

/** The bytes of the signature of a base string. */
export const digestOf = ({ hash, key, consumerSecret, tokenSecret }: Signing, base: string): Buffer =>
  hmac(hash, key(consumerSecret, tokenSecret), base)
