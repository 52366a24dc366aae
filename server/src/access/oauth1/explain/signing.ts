import { hmac } from '../../../lib/crypto.ts'
import { byNameAndValue, encode, type Parameter, signingKey } from '../base-string.ts'
import type { Refusal } from '../verify.ts'

/** A parameter as a client may have signed it; `from` is missing when it was not sent as one. */
export type Pair = Omit<Parameter, 'from'> & Partial<Pick<Parameter, 'from'>>

/** Every choice that goes into a signature. Holds open secrets. */
export interface Signing {
  method: string
  origin: string
  /** With whatever of the URL was left in it. */
  path: string
  parameters: readonly Pair[]
  isSorted: boolean
  /** How names and values were encoded. */
  encode: (text: string) => string
  /** How the base string was made of its three parts. */
  join: (method: string, uri: string, line: string) => string
  consumerSecret: string
  tokenSecret: string
  key: (consumerSecret: string, tokenSecret: string) => string
  hash: 'sha1' | 'sha256'
  /** How the signature was written. */
  write: (digest: Buffer) => string
}

/** Of our origins the one that the client most probably called. */
function nearestOrigin({ request, client }: Refusal): string {
  const { host, 'x-forwarded-host': forwarded } = request.headers
  const called = String(forwarded ?? host ?? '').toLowerCase()
  return client.origins.find((origin) => new URL(origin).host === called) ?? client.origins[0]!
}

/** What should have been signed. */
export const rightSigning = (refusal: Refusal, { method, path, parameters }: NonNullable<Refusal['signed']>): Signing => ({
  ...{ method: method.toUpperCase(), origin: nearestOrigin(refusal), path, parameters },
  ...{ isSorted: true, encode, join: (...parts) => parts.map((part, place) => (place === 0 ? part : encode(part))).join('&') },
  ...{ consumerSecret: refusal.app?.consumerSecret ?? '', tokenSecret: refusal.tokenSecret ?? '', key: signingKey },
  ...{ hash: 'sha1', write: (digest) => digest.toString('base64') },
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
