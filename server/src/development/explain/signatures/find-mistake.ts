import type { RejectedSignature } from '../../../access/oauth1/verify.ts'
import { equalInConstantTime } from '../../../lib/crypto.ts'
import { HOUR_MS, MINUTE_MS } from '../../../lib/time.ts'
import { type KnownMistake, knownMistakes } from './known-mistakes.ts'
import { baseOf, digestOf, rightSigning, type Signing } from './signing.ts'

/** What a client signed, and the mistakes that explain it. */
interface Found {
  signing: Signing
  mistakes: readonly KnownMistake[]
}

/** Limits of the work for one rejected signature. */
const MAX_HMACS = 400
const MAX_BYTES = 4 * 1024 * 1024

/** Compares signings with the received signature, within the limits. */
function createComparison(received: string) {
  const digests = new Map<string, Buffer>()
  let bytesLeft = MAX_BYTES
  const digest = (signing: Signing, base: string) => {
    const { hash, key, consumerSecret, tokenSecret } = signing
    const how = JSON.stringify([hash, key(consumerSecret, tokenSecret), base])
    const before = digests.get(how)
    if (before) return before
    const made = digestOf(signing, base)
    digests.set(how, made)
    return made
  }
  return {
    isOver: () => digests.size >= MAX_HMACS || bytesLeft <= 0,
    written(signing: Signing): string {
      const base = baseOf(signing)
      bytesLeft -= base.length
      return signing.write(digest(signing, base))
    },
    fits: (written: string) => equalInConstantTime(written, received),
  }
}

/** Pairs of mistakes, the likely ones first. */
const pairsOf = (chosen: readonly KnownMistake[]): [KnownMistake, KnownMistake][] =>
  chosen
    .flatMap((one, rank) => chosen.slice(rank + 1).map((other, distance) => ({ one, other, rank: 2 * rank + distance })))
    .filter(({ one, other }) => one.part !== other.part)
    .sort((pair, otherPair) => pair.rank - otherPair.rank)
    .map(({ one, other }) => [one, other])

/** Tries each mistake, then pairs of them, against the received signature. Undefined if none explains it. */
function findSigning(right: Signing, refusal: RejectedSignature): Found | undefined {
  const comparison = createComparison(refusal.signed?.oauth.get('oauth_signature') ?? '')
  const plain = comparison.written(right)
  if (comparison.fits(plain)) return { signing: right, mistakes: [] }
  const changing: KnownMistake[] = []
  for (const known of knownMistakes) {
    let changes = false
    for (const signing of known.instead(right, refusal)) {
      if (comparison.isOver()) return undefined
      const written = comparison.written(signing)
      if (comparison.fits(written)) return { signing, mistakes: [known] }
      changes ||= written !== plain
    }
    if (changes) changing.push(known)
  }
  for (const [one, other] of pairsOf(changing)) {
    for (const signing of one.instead(right, refusal).flatMap((first) => other.instead(first, refusal))) {
      if (comparison.isOver()) return undefined
      if (comparison.fits(comparison.written(signing))) return { signing, mistakes: [one, other] }
    }
  }
  return undefined
}

const UNITS: [name: string, ms: number][] = [
  ['year', 365.25 * 24 * HOUR_MS],
  ['day', 24 * HOUR_MS],
  ['hour', HOUR_MS],
  ['minute', MINUTE_MS],
]

/** A duration of at least a minute in its largest unit: `12 minutes`. */
function inWords(ms: number): string {
  const [name, unitMs] = UNITS.find(([, unitMs]) => ms >= unitMs * 1.5) ?? UNITS.at(-1)!
  const count = Math.round(ms / unitMs)
  return `${count} ${name}${count === 1 ? '' : 's'}`
}

const LARGEST_ZONE_MS = 14 * HOUR_MS

/** Whether a difference looks like one of time zones, within 2 minutes. */
function isOfZones(offMs: number): boolean {
  const stepsMs = Math.round(offMs / (HOUR_MS / 2)) * (HOUR_MS / 2)
  return stepsMs > 0 && stepsMs <= LARGEST_ZONE_MS && Math.abs(offMs - stepsMs) <= 2 * MINUTE_MS
}

/** The server's time, and the machine's where a client may sign with that too. */
interface Clocks {
  nowMs: number
  machineNowMs?: number
}

/** Corrections of the machine's clock are smaller. */
const MOVED_MS = MINUTE_MS

function describeMove({ nowMs, machineNowMs = nowMs }: Clocks): string[] {
  if (Math.abs(nowMs - machineNowMs) < MOVED_MS) return []
  const [now, machineNow] = [nowMs, machineNowMs].map((ms) => new Date(ms).toISOString())
  return [`The clock of this server was moved: it shows ${now}. It also takes timestamps of the machine's time, ${machineNow}.`]
}

/** Describes in sentences how far a client's timestamp is from the server's time, or from the machine's if that is nearer. */
function describeClock(timestampMs: number, clocks: Clocks): string[] {
  const [aheadMs = 0] = [clocks.machineNowMs ?? clocks.nowMs, clocks.nowMs]
    .map((nowMs) => timestampMs - nowMs)
    .sort((one, other) => Math.abs(one) - Math.abs(other))
  const offMs = Math.abs(aheadMs)
  return [
    `The clock of the client is ${inWords(offMs)} ${aheadMs > 0 ? 'fast' : 'slow'}.`,
    isOfZones(offMs)
      ? 'That looks like a time zone: oauth_timestamp counts the seconds since 1970 in UTC.'
      : 'oauth_timestamp must be within 5 minutes of our time.',
    ...describeMove(clocks),
  ]
}

/** The likely mistake of a rejected request. Its signings contain plain-text secrets. */
export interface Mistake {
  /** What is wrong and what to do, in sentences. */
  sentences: readonly string[]
  /** What the server compared the signature with; undefined if it did not get that far. */
  right?: Signing
  /** What the client signed instead, if that was found. */
  signed?: Signing
}

const ACCESS_TOKEN = /^\d+-/

const unknownKey = (key: string) => [
  'No app has this oauth_consumer_key.',
  key.trim() === key
    ? 'Compare it with the one that the operator gave you; it may also be that of another environment.'
    : 'It has white space at its beginning or end, as one that was read from a file.',
]

/** Why a token is invalid, according to its form and its app. */
function unknownToken({ app, tokenAppId, isUserDisabled, signed, request }: RejectedSignature): string[] {
  if (tokenAppId !== undefined && tokenAppId !== app?.id)
    return ['The oauth_token is that of another app.', 'A token goes with the consumer key that asked for it.']
  if (isUserDisabled)
    return ['The user of the oauth_token is disabled.', 'PATCH /operator/users/:user_id with {"disabled": false} enables them again.']
  const isAccessToken = ACCESS_TOKEN.test(signed?.oauth.get('oauth_token') ?? '')
  const takesRequestTokens = request.target.startsWith('/oauth/access_token')
  if (isAccessToken && takesRequestTokens) return ['This looks like an access token; here the request token is exchanged for one.']
  if (!isAccessToken && !takesRequestTokens)
    return ['This does not look like an access token. A request token must be exchanged for one first, at /oauth/access_token.']
  const unknown = takesRequestTokens
    ? 'It was already exchanged, is older than 15 minutes, or never existed.'
    : 'It was revoked or never existed.'
  return ['There is no such oauth_token.', `${unknown} Sign the user in again.`]
}

const wrongSecret = (hasToken: boolean) => [
  'No known mistake explains this signature.',
  `So the client's ${hasToken ? 'consumer secret or token secret' : 'consumer secret'} differs from the server's, or the request was changed on its way.`,
]

/** A correct signature that was rejected for another reason. */
const otherReason = ({ code, reason }: RejectedSignature) =>
  code === 32 ? [reason, 'Each request needs a nonce of its own: one that is sent again must be signed again.'] : [reason]

/** The likely mistake, found by trying what clients might have signed instead. `mask` hides secrets in what a sentence repeats of the request. */
export function findMistake(refusal: RejectedSignature, mask: (text: string) => string): Mistake {
  const { code, reason, signed, app, tokenSecret } = refusal
  if (!signed || tokenSecret === undefined) return { sentences: [mask(reason)] }
  const { oauth } = signed
  const right = rightSigning(refusal, signed)
  if (code === 135) return { sentences: describeClock(Number(oauth.get('oauth_timestamp')) * 1000, refusal), right }
  if (!app) return { sentences: unknownKey(oauth.get('oauth_consumer_key')!), right }
  if (code === 89) return { sentences: unknownToken(refusal), right }
  const found = findSigning(right, refusal)
  if (!found) return { sentences: wrongSecret(tokenSecret.length > 0), right }
  const sentences = found.mistakes
    .map(({ message }) => (typeof message === 'string' ? message : message(found.signing, right, mask)))
    .filter(Boolean)
  if (sentences.length === 0) return { sentences: otherReason(refusal), right }
  return { sentences, right, signed: found.signing }
}
