import { areaOf } from '../../api/areas.ts'
import type { Code } from '../../api/declare/codes.ts'
import { coded, type Problem } from '../../api/declare/problem.ts'
import { headerOf, pathOf, type RawAnswer, type RawRequest } from '../../api/declare/raw-request.ts'
import { sameLengthEqualInConstantTime, sha256 } from '../../lib/crypto.ts'
import { runInTurns } from '../../lib/slices.ts'
import { cutText } from '../../lib/text.ts'
import { MINUTE_MS } from '../../lib/time.ts'
import { type App, type AppStore, previousSecretOf } from '../../storage/apps.ts'
import type { NonceStore } from '../../storage/nonces.ts'
import type { ClientOrigin, ClientOriginOf } from '../client-origin.ts'
import type { Attempt, FailedAttempts } from '../failed-attempts.ts'
import { NO_APP } from '../no-app.ts'
import { beginBaseString, encodeInPieces, normalize, sign, signingKey } from './base-string.ts'
import { hasSignature, isProtocols, readSigned, type SignedRequest, Unreadable, UnreadableParameters } from './read-signed.ts'

const MAX_QUOTE_LENGTH = 50

const NEEDED = ['oauth_consumer_key', 'oauth_nonce', 'oauth_signature', 'oauth_signature_method', 'oauth_timestamp']

/** RFC 5849 has only 1.0; the `oauth` package on npm is documented with 1.0A. */
const VERSIONS: ReadonlySet<string> = new Set(['1.0', '1.0A'])

/** Visible ASCII (§4.3), with a limit because it is stored. */
const NONCE = /^[!-~]{1,255}$/
const TIMESTAMP = /^\d{1,12}$/

/** Checks the OAuth parameters by themselves. Undefined if they are valid. */
function checkParameters(oauth: ReadonlyMap<string, string>, needsToken: boolean): [code: Code, reason: string] | undefined {
  const missing = [...NEEDED, ...(needsToken ? ['oauth_token'] : [])].filter((name) => !oauth.get(name))
  if (missing.length > 0) return [215, `${missing.join(', ')} ${missing.length > 1 ? 'are' : 'is'} missing.`]
  const method = oauth.get('oauth_signature_method')
  if (method !== 'HMAC-SHA1') return [32, `oauth_signature_method is ${cutText(method ?? '', MAX_QUOTE_LENGTH)}; only HMAC-SHA1 is served.`]
  const version = oauth.get('oauth_version') ?? '1.0'
  if (!VERSIONS.has(version)) return [32, `oauth_version is ${cutText(version, MAX_QUOTE_LENGTH)}; it must be 1.0 or 1.0A, or left out.`]
  if (!NONCE.test(oauth.get('oauth_nonce')!)) return [32, 'oauth_nonce must be 1 to 255 visible ASCII characters.']
  if (!TIMESTAMP.test(oauth.get('oauth_timestamp')!)) return [135, 'oauth_timestamp must be whole seconds since 1970.']
  return undefined
}

/** How far the clock of a client may differ, either way. */
export const TOLERANCE_MS = 5 * MINUTE_MS

/** How long a nonce is stored: a minute more, for requests whose timestamp was just within the tolerance. */
const NONCE_TTL_MS = TOLERANCE_MS + MINUTE_MS

/** The token's part of a signature. */
interface Holder {
  secret: string
  appId: string
  /** The user is disabled: the token is refused like one that does not exist. */
  isDisabled?: boolean
}

/** A rejected signature, for its explanation. Contains plain-text secrets and must not be stored. */
export interface RejectedSignature {
  /** The cause. Not every host answers it. */
  code: Code
  /** A sentence. */
  reason: string
  request: RawRequest
  client: ClientOrigin
  signed?: SignedRequest
  app?: App
  /** The secret of the sent token if it belongs to the app, else empty. */
  tokenSecret?: string
  /** The app to which the sent token belongs. */
  tokenAppId?: string
  /** The user of the sent token is disabled. */
  isUserDisabled?: boolean
  nowMs: number
  /** The machine's time, where a client may sign with it: the server's clock may have been moved. */
  machineNowMs?: number
}

export interface SignatureServices {
  apps: AppStore
  nonces: NonceStore
  now: () => number
  /** In development: the machine's clock. A client that knows nothing of a moved clock signs with this time. */
  machineNow?: () => number
  originOf: ClientOriginOf
  /** Limits wrong signatures. */
  failedAttempts: FailedAttempts
  /** Called for each rejected signature, with what the client is told. In development returns the URL of its explanation. */
  refused: (refusal: RejectedSignature, answer: RawAnswer) => string | undefined
}

/** Looks up the holder of a token. */
type FindHolder<H extends Holder> = (token: string) => Promise<H | undefined>

/** What a verified signature proves. */
interface Signed<H> {
  app: App
  holder: H
  oauth: SignedRequest['oauth']
  client: ClientOrigin
}

type Secrets = Pick<App, 'consumerSecret' | 'previousConsumerSecret' | 'previousSecretUntilMs'>

/** The valid consumer secrets: always two, so that the work does not depend on whether there is a previous one. */
const secretsOf = (app: Secrets, nowMs: number) => [app.consumerSecret, previousSecretOf(app, nowMs) ?? app.consumerSecret]

/** Whether a request is signed with the secrets. Yields in the middle of a long one. */
function* matches(
  { method, path, parameters, oauth }: SignedRequest,
  origins: readonly string[],
  app: Secrets,
  tokenSecret: string,
  nowMs: number,
): Generator<undefined, boolean> {
  const end = yield* encodeInPieces(yield* normalize(parameters))
  const sent = oauth.get('oauth_signature')!
  const keys = secretsOf(app, nowMs).map((secret) => signingKey(secret, tokenSecret))
  for (const origin of origins) {
    const beginning = beginBaseString(method, origin + path)
    for (const key of keys) if (sameLengthEqualInConstantTime(yield* sign(key, beginning, end), sent)) return true
  }
  return false
}

/** Codes that exist on every host (§7). */
const CODES_EVERYWHERE: readonly Code[] = [89, 92, 416]

/** The `www-authenticate` of a 401 (public practice). */
const challengeOf = (realm: string, code: Code) => `OAuth realm="${realm}", api_error_code=${code}`

function problemOf(code: Code, request: RawRequest, realm: string): Problem {
  const { refusedSignature } = areaOf(pathOf(request.target))
  const problemWith = (headers: Record<string, string>) =>
    CODES_EVERYWHERE.includes(code) ? coded(code, headers) : refusedSignature.withCode(code, headers)
  const isChallenged = problemWith({}).status === 401
  return problemWith(isChallenged ? { 'www-authenticate': challengeOf(realm, code) } : {})
}

/** Reports a rejected signature and returns its problem. */
export function refuseSignature(refusal: RejectedSignature, refused: SignatureServices['refused']): Problem {
  const { code, request, client, reason } = refusal
  const problem = problemOf(code, request, client.origins[0]!)
  const answer = areaOf(pathOf(request.target)).refuse(problem, { problemBaseUrl: '' })
  problem.why = { reason, explainUrl: refused(refusal, answer) }
  return problem
}

/** A hash, because the client chooses the length and content of the parts. */
const nonceKey = (oauth: ReadonlyMap<string, string>) =>
  sha256(JSON.stringify(['oauth_consumer_key', 'oauth_token', 'oauth_nonce'].map((name) => oauth.get(name) ?? '')))
    .subarray(0, 16)
    .toString('base64url')

const fits = (timestampMs: number, nowMs: number) => Math.abs(timestampMs - nowMs) <= TOLERANCE_MS

const NO_SUCH_APP = 'No app has this oauth_consumer_key.'

const NO_SUCH_TOKEN = 'There is no such oauth_token for this app: it was revoked, has expired, or never existed.'

/** The reason of code 89, for the log and the explanation. The answer is the same. */
export const whyNoToken = (app: App | undefined): string => (app ? NO_SUCH_TOKEN : NO_SUCH_APP)

/** A token of another app is treated like a token that does not exist. */
const NO_TOKEN = { secret: '', appId: '' }

const NOT_BEFORE_A_FORM =
  'Before a form of more than 64 KB, or of a size that is not told, the OAuth 1.0a parameters must stand in the Authorization header or the query.'

/** The credentials of a signed request, and whom they name. Throws as `verify` does for those that cannot be read. */
async function readCredentials<H extends Holder>(
  request: RawRequest,
  services: SignatureServices,
  find?: FindHolder<H>,
  whyUnsigned = 'The request has no OAuth 1.0a parameters.',
) {
  const { apps, now, machineNow, originOf, failedAttempts, refused } = services
  const client = originOf(request)
  const nowMs = now()
  const machineNowMs = machineNow?.()
  const refuse = (code: Code, reason: string, known: Partial<RejectedSignature> = {}) =>
    refuseSignature({ code, reason, request, client, nowMs, machineNowMs, ...known }, refused)

  const signed = readOrRefuse(request, (reason) => refuse(215, reason))
  const { oauth } = signed
  if (!hasSignature(signed)) throw refuse(215, whyUnsigned, { signed })
  const wrong = checkParameters(oauth, find !== undefined)
  if (wrong) throw refuse(...wrong, { signed })
  const attempt: Attempt = { kind: 'signature', address: client.address, key: oauth.get('oauth_consumer_key')! }
  failedAttempts.assertOpen(attempt)

  const [app, found] = await Promise.all([apps.byConsumerKey(oauth.get('oauth_consumer_key')!), find?.(oauth.get('oauth_token')!)])
  const holder = found && found.appId === app?.id && !found.isDisabled ? found : undefined
  const tokenSecret = (holder ?? NO_TOKEN).secret
  const known = { signed, app, tokenSecret, tokenAppId: found?.appId, isUserDisabled: found?.isDisabled }
  return {
    signed,
    oauth,
    client,
    nowMs,
    machineNowMs,
    attempt,
    app,
    holder,
    tokenSecret,
    refuse: (code: Code, reason: string) => refuse(code, reason, known),
  }
}

/**
 * Whether the key and the token of a signed request are live, for a form that has not come yet: its parameters stand in the header or the query.
 * Throws as `verify` does.
 */
export async function assertKnown<H extends Holder>(request: RawRequest, services: SignatureServices, find: FindHolder<H>): Promise<void> {
  const { app, holder, attempt, refuse } = await readCredentials(request, services, find, NOT_BEFORE_A_FORM)
  if (!holder) throw await services.failedAttempts.refusal(attempt, refuse(89, whyNoToken(app)))
}

/**
 * Verifies the OAuth 1.0a signature of a request (§5.2, RFC 5849): HMAC-SHA1, each nonce once for its key and token, a timestamp at
 * most 5 minutes off. `find` looks up the holder of `oauth_token`; without it only the app signs. The same request may be verified again, by
 * its id: the database may break between.
 * Throws code 215 if there is no readable signature, 135 for the timestamp, 89 for a token that is not live, 32 for everything else; 429
 * after too many wrong signatures or tokens with this key from this address. Code 89 is the same whether there is such an app or not.
 */
export async function verify<H extends Holder>(request: RawRequest, services: SignatureServices, find?: FindHolder<H>): Promise<Signed<H>> {
  const { nonces, failedAttempts } = services
  const { signed, oauth, client, nowMs, machineNowMs, attempt, app, holder, tokenSecret, refuse } = await readCredentials(
    request,
    services,
    find,
  )
  const timestampMs = Number(oauth.get('oauth_timestamp')) * 1000
  if (!fits(timestampMs, nowMs) && !(machineNowMs !== undefined && fits(timestampMs, machineNowMs)))
    throw refuse(135, 'The clocks of the client and the server differ by more than 5 minutes.')
  const isRight = await runInTurns(matches(signed, client.origins, app ?? NO_APP, tokenSecret, nowMs))
  if (find && !holder) throw await failedAttempts.refusal(attempt, refuse(89, whyNoToken(app)))
  if (!app || !isRight)
    throw await failedAttempts.refusal(attempt, refuse(32, app ? 'The signature does not match the request.' : NO_SUCH_APP))
  failedAttempts.succeeded(attempt)
  if (app.suspended) throw refuse(416, 'The app is suspended.')
  if (!(await nonces.accept(nonceKey(oauth), Math.max(nowMs, timestampMs) + NONCE_TTL_MS, nowMs, request.id)))
    throw refuse(32, 'The oauth_nonce was used before.')
  return { app, holder: holder as H, oauth, client }
}

function readOrRefuse(request: RawRequest, refuse: (reason: string) => Problem): SignedRequest {
  try {
    return readSigned(request)
  } catch (error) {
    const { undecodable } = areaOf(pathOf(request.target)).refusedSignature
    if (error instanceof UnreadableParameters && undecodable) throw undecodable(error.message)
    if (error instanceof Unreadable) throw refuse(error.message)
    throw error
  }
}

/** The common part of the signature schemes. */
export const signatureScheme = (signed: string) => ({
  scheme: { type: 'http', scheme: 'oauth', description: `OAuth 1.0a, HMAC-SHA1, ${signed}` },
  isCredential: isProtocols,
})

/** The scheme of other credentials than a signature, if such were sent. */
export const otherScheme = (request: RawRequest): string | undefined =>
  /^(bearer|basic)\b/i.exec(headerOf(request, 'authorization') ?? '')?.[1]?.toLowerCase()
