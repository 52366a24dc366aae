import { equalInConstantTime } from '../../../lib/crypto.ts'
import type { Refusal } from '../verify.ts'
import { baseOf, digestOf, type Signing } from './signing.ts'
import { type Trial, trials } from './trials.ts'

/** What a client signed, and by which mistakes. */
export interface Found {
  signing: Signing
  trials: readonly Trial[]
}

/** What one refusal may cost. */
const MOST_HMACS = 400
const MOST_BYTES = 4 * 1024 * 1024

/** Compares signings with what was received, until that has cost enough. */
function createComparison(received: string) {
  const digests = new Map<string, Buffer>()
  let bytesLeft = MOST_BYTES
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
    isOver: () => digests.size >= MOST_HMACS || bytesLeft <= 0,
    written(signing: Signing): string {
      const base = baseOf(signing)
      bytesLeft -= base.length
      return signing.write(digest(signing, base))
    },
    fits: (written: string) => equalInConstantTime(written, received),
  }
}

/** Two trials each, the likely ones first. */
const pairsOf = (chosen: readonly Trial[]): [Trial, Trial][] =>
  chosen
    .flatMap((one, rank) => chosen.slice(rank + 1).map((other, distance) => ({ one, other, rank: 2 * rank + distance })))
    .filter(({ one, other }) => one.part !== other.part)
    .sort((pair, otherPair) => pair.rank - otherPair.rank)
    .map(({ one, other }) => [one, other])

/** Tries each mistake, and then two together, against the signature that came. Undefined when none of them explains it. */
export function findSigning(right: Signing, refusal: Refusal): Found | undefined {
  const comparison = createComparison(refusal.signed?.oauth.get('oauth_signature') ?? '')
  const plain = comparison.written(right)
  if (comparison.fits(plain)) return { signing: right, trials: [] }
  const changing: Trial[] = []
  for (const trial of trials) {
    let changes = false
    for (const signing of trial.instead(right, refusal)) {
      if (comparison.isOver()) return undefined
      const written = comparison.written(signing)
      if (comparison.fits(written)) return { signing, trials: [trial] }
      changes ||= written !== plain
    }
    if (changes) changing.push(trial)
  }
  for (const [one, other] of pairsOf(changing)) {
    for (const signing of one.instead(right, refusal).flatMap((first) => other.instead(first, refusal))) {
      if (comparison.isOver()) return undefined
      if (comparison.fits(comparison.written(signing))) return { signing, trials: [one, other] }
    }
  }
  return undefined
}
