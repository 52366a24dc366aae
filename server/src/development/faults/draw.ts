import { sha256 } from '../../lib/crypto.ts'

const WORD_BYTES = 4
const WORD_VALUES = 2 ** 32

/** A uniform number, at least 0 and below 1, for each question of a draw. */
export interface Draw {
  isHit: number
  kind: number
  strength: number
}

/**
 * The draw for the `count`th thing of a key. It is a hash, SHA-256 of seed, key and count, so it needs no state: a rerun, another order of keys
 * or another release of Node draws the same.
 */
export function draw(seed: number, key: string, count: number): Draw {
  const bytes = sha256(`${seed} ${key} ${count}`)
  const uniform = (word: number) => bytes.readUInt32BE(word * WORD_BYTES) / WORD_VALUES
  return { isHit: uniform(0), kind: uniform(1), strength: uniform(2) }
}

/** The value that a uniform number chooses. */
export const chosen = <Value>(values: readonly Value[], uniform: number): Value => values[Math.floor(uniform * values.length)]!
