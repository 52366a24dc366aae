const INITIAL_BYTES = 64 << 10
/** A UTF-16 unit takes at most three bytes in UTF-8. */
export const BYTES_PER_UNIT = 3

/**
 * Writes values into one growing buffer that can be transferred to another thread. Its first size is `expectedBytes`, so that a large batch
 * is not copied repeatedly. A spare buffer of at least that size is reused.
 */
export function createPacker(spare?: ArrayBuffer, expectedBytes = INITIAL_BYTES) {
  const isEnough = spare !== undefined && spare.byteLength >= expectedBytes
  let buffer = isEnough ? Buffer.from(spare) : Buffer.allocUnsafeSlow(Math.max(INITIAL_BYTES, expectedBytes))
  let at = 0

  const reserve = (bytes: number) => {
    if (at + bytes <= buffer.length) return
    const larger = Buffer.allocUnsafeSlow(Math.max(buffer.length * 2, at + bytes))
    buffer.copy(larger, 0, 0, at)
    buffer = larger
  }

  return {
    number(value: number) {
      reserve(8)
      at = buffer.writeDoubleLE(value, at)
    },
    text(value: string) {
      reserve(4 + value.length * BYTES_PER_UNIT)
      const written = buffer.write(value, at + 4)
      buffer.writeUInt32LE(written, at)
      at += 4 + written
    },
    bytes(value: Uint8Array) {
      reserve(4 + value.length)
      at = buffer.writeUInt32LE(value.length, at)
      buffer.set(value, at)
      at += value.length
    },
    packed: () => buffer.buffer as ArrayBuffer,
  }
}
export type Packer = ReturnType<typeof createPacker>

/** Reads the values of a packer in the order in which they were written. */
export function createUnpacker(packed: ArrayBuffer) {
  const buffer = Buffer.from(packed)
  let at = 0
  const take = () => {
    const length = buffer.readUInt32LE(at)
    at += 4 + length
    return length
  }
  return {
    number() {
      at += 8
      return buffer.readDoubleLE(at - 8)
    },
    text() {
      const length = take()
      return buffer.toString('utf8', at - length, at)
    },
    /** A view into the packed buffer. */
    bytes() {
      const length = take()
      return buffer.subarray(at - length, at)
    },
  }
}
export type Unpacker = ReturnType<typeof createUnpacker>
