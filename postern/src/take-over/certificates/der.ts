const LONG_FORM = 0x80

/** The length of a value: one byte below 128, else the number of bytes and then the length. */
function lengthOf(bytes: number): Buffer {
  if (bytes < LONG_FORM) return Buffer.of(bytes)
  const hex = bytes.toString(16)
  const digits = Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex')
  return Buffer.of(LONG_FORM | digits.length, ...digits)
}

/** One value of DER (X.690): its tag, its length and its contents. */
function value(tag: number, ...contents: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(contents)
  return Buffer.concat([Buffer.of(tag), lengthOf(content.length), content])
}

/** Seven bits a byte, highest first; every byte but the last has its top bit set. */
function base128(number: number): number[] {
  const digits = [number & 0x7f]
  for (let rest = number >> 7; rest > 0; rest >>= 7) digits.unshift((rest & 0x7f) | 0x80)
  return digits
}

export const sequence = (...members: readonly Uint8Array[]): Buffer => value(0x30, ...members)

export const set = (...members: readonly Uint8Array[]): Buffer => value(0x31, ...members)

export const boolean = (is: boolean): Buffer => value(0x01, Buffer.of(is ? 0xff : 0))

/** An integer from its bytes, which are not negative: a zero goes before a top bit. */
export const integer = (bytes: Uint8Array): Buffer => value(0x02, bytes[0]! >= 0x80 ? Buffer.of(0, ...bytes) : bytes)

export const octets = (...contents: readonly Uint8Array[]): Buffer => value(0x04, ...contents)

/** Bits, of which the last `unused` are none. */
export const bits = (bytes: Uint8Array, unused = 0): Buffer => value(0x03, Buffer.of(unused), bytes)

export const utf8 = (text: string): Buffer => value(0x0c, Buffer.from(text))

/** An object identifier: `2.5.29.17`. */
export function objectId(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number)
  return value(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]))
}

/** A moment before 2050, to the second. */
export const utcTime = (date: Date): Buffer =>
  value(
    0x17,
    Buffer.from(
      `${date
        .toISOString()
        .replace(/[-:T]|\.\d+/g, '')
        .slice(2)}`,
    ),
  )

/** A member with a number of its own, around another value. */
export const explicit = (number: number, ...contents: readonly Uint8Array[]): Buffer => value(0xa0 | number, ...contents)

/** A member with a number of its own, in place of its tag. */
export const implicit = (number: number, ...contents: readonly Uint8Array[]): Buffer => value(0x80 | number, ...contents)
