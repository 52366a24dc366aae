/** The headers that may carry a signature, lower case: the specification's (§4.2), and that of dialect `x`. */
export const SIGNATURE_HEADERS = ['x-service-webhooks-signature', 'x-twitter-webhooks-signature'] as const

/** `sha256=` and the base64 of 32 bytes. */
export const SIGNATURE_PREFIX = 'sha256='
const SIGNATURE_FORM = /^sha256=[A-Za-z0-9+/]{43}=$/

export const isSignature = (header: unknown): header is string => typeof header === 'string' && SIGNATURE_FORM.test(header)

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

/** Whether a body is as it was sent, text or bytes: what was parsed cannot be verified. */
export const isRawBody = (body: unknown): body is string | Uint8Array => typeof body === 'string' || body instanceof Uint8Array

/** What is asked about a signed request: the value of its signature header, its raw body, and the consumer secrets that it may be signed with. */
export interface SignedBody {
  header: unknown
  body: unknown
  secrets: readonly string[]
}

/** What is asked about a challenge: the value of its signature header and its raw query, not decoded. */
export interface SignedQuery {
  header: unknown
  query: string
  secrets: readonly string[]
}

/** A token of a challenge, and the consumer secret that answers it. */
export interface Challenge {
  crcToken: unknown
  secret: string
}

type Soon<Value> = Value | Promise<Value>

/** How signatures are made and verified: `node/` does it at once, `web/` with promises, because WebCrypto has nothing else. */
export interface Signatures {
  verifySignature(signed: SignedBody): Soon<boolean>
  findChallengeSecret(signed: SignedQuery): Soon<string>
  answerChallenge(challenge: Challenge): Soon<{ response_token: string }>
}
