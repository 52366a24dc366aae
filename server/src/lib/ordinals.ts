const MORE = 0x80
const BITS = 0x7f

function bytesOf(value: number): number {
  let bytes = 1
  for (let rest = value; rest > BITS; rest = Math.floor(rest / MORE)) bytes += 1
  return bytes
}

/** The numbers that are written: how many ordinals there are, the first one, and how far each is from the one before it. */
const numbersOf = (ordinals: readonly number[]): number[] => [
  ordinals.length,
  ...ordinals.map((ordinal, place) => (place === 0 ? ordinal : ordinal - ordinals[place - 1]!)),
]

/**
 * Packs ascending whole numbers, as differences of seven bits a byte. Packed lists may stand one after the other: `visitOrdinals` reads them all,
 * so a database appends to a list without reading it.
 */
export function packOrdinals(ordinals: readonly number[]): Uint8Array {
  const numbers = numbersOf(ordinals)
  const packed = new Uint8Array(numbers.reduce((sum, number) => sum + bytesOf(number), 0))
  let at = 0
  for (const number of numbers) {
    let rest = number
    for (; rest > BITS; rest = Math.floor(rest / MORE)) packed[at++] = (rest & BITS) | MORE
    packed[at++] = rest
  }
  return packed
}

/** Calls `visit` with each number of the lists that `packOrdinals` made. */
export function visitOrdinals(packed: Uint8Array, visit: (ordinal: number) => void): void {
  let at = 0
  const next = () => {
    let byte = packed[at++]!
    if (byte < MORE) return byte
    let [value, scale] = [byte & BITS, MORE]
    do {
      byte = packed[at++]!
      value += (byte & BITS) * scale
      scale *= MORE
    } while (byte >= MORE)
    return value
  }
  while (at < packed.length) {
    let ordinal = 0
    for (let left = next(); left > 0; left -= 1) {
      ordinal += next()
      visit(ordinal)
    }
  }
}
