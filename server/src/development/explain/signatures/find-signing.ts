import type { RejectedSignature } from '../../../access/oauth1/verify.ts'
import { equalInConstantTime } from '../../../lib/crypto.ts'
import { type KnownMistake, knownMistakes } from './known-mistakes.ts'
import { baseOf, digestOf, type Signing } from './signing.ts'

/** What a client signed, and the mistakes that explain it. */
export interface Found {
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
export function findSigning(right: Signing, refusal: RejectedSignature): Found | undefined {
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
