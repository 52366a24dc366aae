import { createHash } from 'node:crypto'
import { adsId } from '../../../api/declare/ads-words.ts'
import type { TSchema } from '../../../api/declare/words.ts'
import { writeExactJson } from '../../../lib/numbers.ts'

/** Ids that the server hands out count to 2^53, which is eleven digits of base 36: one of twelve is none of them. */
const DIGITS = 11
const FIRST = 'z'

const hashOf = (texts: readonly string[]) => createHash('sha256').update(JSON.stringify(texts)).digest()

const numberOf = (hash: Buffer, base: bigint) => hash.readBigUInt64BE() % base ** BigInt(DIGITS)

/** The forms that an id can have: base 36, or decimal digits, of which the server hands out more. */
const forms = [
  (hash: Buffer) => FIRST + numberOf(hash, 36n).toString(36).padStart(DIGITS, '0'),
  (hash: Buffer) => `9${numberOf(hash, 10n).toString().padStart(DIGITS, '0')}`,
]

const patternOf = (word: TSchema) => new RegExp((word as { pattern?: string }).pattern ?? '', 'u')

/**
 * Derives the ids of records that a seed has without one from what the seed says, so that every load finds what an earlier one made,
 * whatever became of it since; of records of which it says the same, the second has another id than the first. Undefined for a key
 * that only its client can make.
 */
export function createDerivedIds(within: readonly string[], keyWord: TSchema = adsId()) {
  const counts = new Map<string, number>()
  return (said: object): string | undefined => {
    const text = writeExactJson(Object.entries(said).sort(([one], [other]) => (one < other ? -1 : 1)))
    const count = counts.get(text) ?? 0
    counts.set(text, count + 1)
    const hash = hashOf([...within, text, String(count)])
    return forms.map((form) => form(hash)).find((id) => patternOf(keyWord).test(id))
  }
}
