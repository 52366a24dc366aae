import { areaOf } from '../../api/areas.ts'
import type { Code } from '../../api/declare/codes.ts'
import { coded, type Problem } from '../../api/declare/problem.ts'
import { headerOf, pathOf, type RawRequest } from '../../api/declare/raw-request.ts'
import { hmacSha1, sameLengthEqualInConstantTime, sha256 } from '../../lib/crypto.ts'
import { cutText } from '../../lib/text.ts'
import { MINUTE_MS } from '../../lib/time.ts'
import { type App, type AppStore, previousSecretOf } from '../../storage/apps.ts'
import type { NonceStore } from '../../storage/nonces.ts'
import type { ClientOrigin, ClientOriginOf } from '../client-origin.ts'
import { baseString, normalize, signingKey } from './base-string.ts'
import { hasSignature, isProtocols, readSigned, type SignedRequest, Unreadable, UnreadableParameters } from './read-signed.ts'

/** How far the clock of a client may be off, either way. */
export const TOLERANCE_MS = 5 * MINUTE_MS

/** How long a nonce is known: a minute more, in which whoever came with a timestamp just within the tolerance is answered. */
const NONCE_KNOWN_MS = TOLERANCE_MS + MINUTE_MS

/** What a token adds to a signature. */
export interface Holder {
  secret: string
  appId: string
}

/** Everything that is known of a signature that was refused. For the explainer: it holds open secrets and must not be kept. */
export interface Refusal {
  code: Code
  /** As a sentence. */
  why: string
  request: RawRequest
  client: ClientOrigin
  signed?: SignedRequest
  app?: App
  /** Of the token that was sent, when it is the app's; else empty. */
  tokenSecret?: string
  /** The app that holds the token that was sent. */
  tokenAppId?: string
  nowMs: number
}

export interface SignatureServices {
  apps: AppStore
  nonces: NonceStore
  now: () => number
  originOf: ClientOriginOf
  /** Refuses what came without TLS. */
  requireHttps: boolean
  /** Told of each refusal; in development it answers where that is explained. */
  refused: (refusal: Refusal) => string | undefined
}

/** What a verified signature proves. */
export interface Signed<H> {
  app: App
  holder: H
  oauth: SignedRequest['oauth']
}

const LONGEST_QUOTE = 50

const NEEDED = ['oauth_consumer_key', 'oauth_nonce', 'oauth_signature', 'oauth_signature_method', 'oauth_timestamp']

/** RFC 5849 knows 1.0 alone; the `oauth` package on npm is documented with 1.0A. */
const VERSIONS: ReadonlySet<string> = new Set(['1.0', '1.0A'])

/** Visible ASCII (§4.3); bounded, as everything that is stored. */
const NONCE = /^[!-~]{1,255}$/
const TIMESTAMP = /^\d{1,12}$/

/** What a signature is checked against when there is no such app, so that the answer takes as long. */
const NOBODY = { consumerSecret: 'no app has this secret', previousConsumerSecret: null, previousSecretUntilMs: null }

type Secrets = Pick<App, 'consumerSecret' | 'previousConsumerSecret' | 'previousSecretUntilMs'>

/** All that a consumer secret may be now; as many whether there is a previous one or not. */
const secretsOf = (app: Secrets, nowMs: number) => [app.consumerSecret, previousSecretOf(app, nowMs) ?? app.consumerSecret]

function matches(
  { method, path, parameters, oauth }: SignedRequest,
  origins: readonly string[],
  app: Secrets,
  tokenSecret: string,
  nowMs: number,
) {
  const normalized = normalize(parameters)
  const sent = oauth.get('oauth_signature')!
  const keys = secretsOf(app, nowMs).map((secret) => signingKey(secret, tokenSecret))
  return origins.some((origin) => {
    const base = baseString(method, origin + path, normalized)
    return keys.some((key) => sameLengthEqualInConstantTime(hmacSha1(key, base), sent))
  })
}

/** What is wrong with the parameters by themselves; undefined when nothing is. */
function wrongIn(oauth: ReadonlyMap<string, string>, needsToken: boolean): [code: Code, why: string] | undefined {
  const missing = [...NEEDED, ...(needsToken ? ['oauth_token'] : [])].filter((name) => !oauth.get(name))
  if (missing.length > 0) return [215, `${missing.join(', ')} ${missing.length > 1 ? 'are' : 'is'} missing.`]
  const method = oauth.get('oauth_signature_method')
  if (method !== 'HMAC-SHA1') return [32, `oauth_signature_method is ${cutText(method ?? '', LONGEST_QUOTE)}; only HMAC-SHA1 is served.`]
  const version = oauth.get('oauth_version') ?? '1.0'
  if (!VERSIONS.has(version)) return [32, `oauth_version is ${cutText(version, LONGEST_QUOTE)}; it must be 1.0 or 1.0A, or left out.`]
  if (!NONCE.test(oauth.get('oauth_nonce')!)) return [32, 'oauth_nonce must be 1 to 255 visible ASCII characters.']
  if (!TIMESTAMP.test(oauth.get('oauth_timestamp')!)) return [135, 'oauth_timestamp must be whole seconds since 1970.']
  return undefined
}

/** Codes that every host answers (§7). */
const CODES_EVERYWHERE: readonly Code[] = [89, 92, 416]

/** The `www-authenticate` of a 401 (public practice). */
export const challengeOf = (realm: string, code: Code) => `OAuth realm="${realm}", api_error_code=${code}`

function problemOf(code: Code, request: RawRequest, realm: string, explained: string | undefined): Problem {
  const { refusedSignature } = areaOf(pathOf(request.target))
  const problemWith = (headers: Record<string, string>) =>
    CODES_EVERYWHERE.includes(code) ? coded(code, headers) : refusedSignature.withCode(code, headers)
  const explanation = explained && { 'x-postern-explain': explained }
  const isChallenged = problemWith({}).status === 401
  return problemWith({ ...explanation, ...(isChallenged && { 'www-authenticate': challengeOf(realm, code) }) })
}

/** Refuses a signature, and tells whoever is to know: `refused` says where that is explained. */
export const refuseSignature = (refusal: Refusal, refused: SignatureServices['refused']): Problem =>
  problemOf(refusal.code, refusal.request, refusal.client.origins[0]!, refused(refusal))

/** Refuses what comes in the clear where it must not (§4.3). */
export function assertHttps(client: ClientOrigin, requireHttps: boolean) {
  if (requireHttps && client.scheme !== 'https') throw coded(92)
}

/** Short, and without anything that a stranger chose. */
const nonceKey = (oauth: ReadonlyMap<string, string>) =>
  sha256(JSON.stringify(['oauth_consumer_key', 'oauth_token', 'oauth_nonce'].map((name) => oauth.get(name) ?? '')))
    .subarray(0, 16)
    .toString('base64url')

/** Why code 89 is answered. */
export const NO_SUCH_TOKEN = 'There is no such oauth_token for this app: it was revoked, has expired, or never existed.'

/** Of a token that is not that of the app nothing holds: to it there is no such token. */
const NO_TOKEN = { secret: '', appId: '' }

/**
 * Verifies the OAuth 1.0a signature of a request (§5.2, RFC 5849): HMAC-SHA1, each nonce once for its key and token, a timestamp at
 * most 5 minutes off. `find` looks up the holder of `oauth_token`; without it the app alone signs.
 * Throws code 215 for what is no signature, 135 for the timestamp, 89 for a token that does not exist, 32 for all else.
 */
export async function verify<H extends Holder>(
  request: RawRequest,
  services: SignatureServices,
  find?: (token: string) => Promise<H | undefined>,
): Promise<Signed<H>> {
  const { apps, nonces, now, originOf, requireHttps, refused } = services
  const client = originOf(request)
  assertHttps(client, requireHttps)
  const nowMs = now()
  const refuse = (code: Code, why: string, known: Partial<Refusal> = {}) =>
    refuseSignature({ code, why, request, client, nowMs, ...known }, refused)

  const signed = readOrRefuse(request, (why) => refuse(215, why))
  const { oauth } = signed
  if (!hasSignature(signed)) throw refuse(215, 'The request has no OAuth 1.0a parameters.', { signed })
  const wrong = wrongIn(oauth, find !== undefined)
  if (wrong) throw refuse(...wrong, { signed })
  const timestampMs = Number(oauth.get('oauth_timestamp')) * 1000

  const [app, found] = await Promise.all([apps.byConsumerKey(oauth.get('oauth_consumer_key')!), find?.(oauth.get('oauth_token')!)])
  const holder = found && found.appId === app?.id ? found : undefined
  const tokenSecret = (holder ?? NO_TOKEN).secret
  const known = { signed, app, tokenSecret, tokenAppId: found?.appId }
  if (Math.abs(timestampMs - nowMs) > TOLERANCE_MS)
    throw refuse(135, 'The clocks of the client and the server differ by more than 5 minutes.', known)
  const isRight = matches(signed, client.origins, app ?? NOBODY, tokenSecret, nowMs)
  if (!app) throw refuse(32, 'No app has this oauth_consumer_key.', known)
  if (find && !holder) throw refuse(89, NO_SUCH_TOKEN, known)
  if (!isRight) throw refuse(32, 'The signature does not match the request.', known)
  if (app.suspended) throw refuse(416, 'The app is suspended.', known)
  if (!(await nonces.accept(nonceKey(oauth), Math.max(nowMs, timestampMs) + NONCE_KNOWN_MS, nowMs)))
    throw refuse(32, 'The oauth_nonce was used before.', known)
  return { app, holder: holder as H, oauth }
}

function readOrRefuse(request: RawRequest, refuse: (why: string) => Problem): SignedRequest {
  try {
    return readSigned(request)
  } catch (error) {
    const { undecodable } = areaOf(pathOf(request.target)).refusedSignature
    if (error instanceof UnreadableParameters && undecodable) throw undecodable(error.message)
    if (error instanceof Unreadable) throw refuse(error.message)
    throw error
  }
}

/** What every way to sign has in common. */
export const signatureScheme = (signed: string) => ({
  scheme: { type: 'http', scheme: 'oauth', description: `OAuth 1.0a, HMAC-SHA1, ${signed}` },
  isCredential: isProtocols,
  isOnce: true,
})

/** Whether other credentials than a signature were sent: which ones. */
export const otherScheme = (request: RawRequest): string | undefined =>
  /^(bearer|basic)\b/i.exec(headerOf(request, 'authorization') ?? '')?.[1]?.toLowerCase()
