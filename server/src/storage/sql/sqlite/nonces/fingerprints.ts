/** A set of 64-bit fingerprints, each given as two 32-bit words that are not both zero. */
export interface Fingerprints {
  readonly size: number
  has(high: number, low: number): boolean
  add(high: number, low: number): void
  /** All words, in no order. */
  words(): Uint32Array<ArrayBuffer>
}

const FIRST_SLOTS = 16

/** Above this share of used slots the table doubles. A fingerprint so takes 11 to 21 bytes. */
const MAX_LOAD = 0.75

/** The offset of a fingerprint in a table, or of the empty slot where it belongs. Open addressing with linear probing. */
function offsetOf(table: Uint32Array, high: number, low: number): number {
  const mask = table.length - 1
  let at = (low << 1) & mask
  while ((table[at] !== high || table[at + 1] !== low) && (table[at] !== 0 || table[at + 1] !== 0)) at = (at + 2) & mask
  return at
}

/** A table of pairs of words, whose number of slots is a power of two. An empty slot is two zeros. */
function createTable(): Fingerprints {
  let table = new Uint32Array(FIRST_SLOTS * 2)
  let size = 0

  const put = (high: number, low: number) => {
    const at = offsetOf(table, high, low)
    table[at] = high
    table[at + 1] = low
  }

  const grow = () => {
    const former = table
    table = new Uint32Array(former.length * 2)
    for (let at = 0; at < former.length; at += 2) if (former[at] !== 0 || former[at + 1] !== 0) put(former[at]!, former[at + 1]!)
  }

  return {
    get size() {
      return size
    },
    has(high, low) {
      const at = offsetOf(table, high, low)
      return table[at] === high && table[at + 1] === low
    },
    add(high, low) {
      if (this.has(high, low)) return
      if ((size + 1) * 2 > table.length * MAX_LOAD) grow()
      put(high, low)
      size += 1
    },
    words() {
      const words = new Uint32Array(size * 2)
      let end = 0
      for (let at = 0; at < table.length; at += 2) {
        if (table[at] === 0 && table[at + 1] === 0) continue
        words[end++] = table[at]!
        words[end++] = table[at + 1]!
      }
      return words
    },
  }
}

const TABLES = 64

/** The first six bits of a fingerprint say in which of 64 tables it is: a single table of a million takes 30 ms to double. */
export function createFingerprints(): Fingerprints {
  const tables = Array.from({ length: TABLES }, createTable)
  let size = 0
  return {
    get size() {
      return size
    },
    has: (high, low) => tables[high >>> 26]!.has(high, low),
    add(high, low) {
      const table = tables[high >>> 26]!
      size -= table.size
      table.add(high, low)
      size += table.size
    },
    words() {
      const words = new Uint32Array(size * 2)
      let end = 0
      for (const table of tables) {
        words.set(table.words(), end)
        end += table.size * 2
      }
      return words
    },
  }
}
