import { createHash } from 'node:crypto'
import { writeExactJson } from '../../../lib/numbers.ts'

/** Ids that are handed out count to 2^53, which is eleven digits of base 36: one of twelve is none of them. */
const DIGITS = 11
const FIRST = 'z'

const hashOf = (texts: readonly string[]) => createHash('sha256').update(JSON.stringify(texts)).digest()

function base36(hash: Buffer): string {
  const number = hash.readBigUInt64BE() % 36n ** BigInt(DIGITS)
  return FIRST + number.toString(36).padStart(DIGITS, '0')
}

/**
 * Makes up the ids of things that a seed has without one. They follow from what the seed says, so that every load finds what an earlier one
 * has made, whatever became of it since; of things of which it says the same, the second has another id than the first.
 */
export function createDerivedIds(...within: string[]) {
  const counts = new Map<string, number>()
  return (said: object): string => {
    const text = writeExactJson(Object.entries(said).sort(([one], [other]) => (one < other ? -1 : 1)))
    const count = counts.get(text) ?? 0
    counts.set(text, count + 1)
    return base36(hashOf([...within, text, String(count)]))
  }
}
