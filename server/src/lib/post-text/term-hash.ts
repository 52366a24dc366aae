const encoder = new TextEncoder()
const answer = new DataView(new ArrayBuffer(8))
const SIGN_BIT_CLEARED = 0x7fff_ffff_ffff_ffffn
const PRIME_LOW = 0x1b3
let bytes = new Uint8Array(1024)

function bytesOf(text: string): Uint8Array {
  if (bytes.length < text.length * 3) bytes = new Uint8Array(text.length * 3)
  return bytes.subarray(0, encoder.encodeInto(text, bytes).written)
}

/**
 * The hash under which the search index holds a term: 64-bit FNV-1a over UTF-8 with the highest bit cleared, so that it is a non-negative
 * integer in both databases. It must never change. Limbs of 16 bits instead of BigInt: a multiple faster.
 */
export function termHash(term: string): bigint {
  let [a, b, c, d] = [0x2325, 0x8422, 0x9ce4, 0xcbf2]
  for (const byte of bytesOf(term)) {
    const low = (a ^ byte) & 0xffff
    // The prime is 2^40 + 0x1b3: a shift by 40 bits is one by two limbs and 8 bits.
    const first = low * PRIME_LOW
    const second = (first >>> 16) + b * PRIME_LOW
    const third = (second >>> 16) + c * PRIME_LOW + (low << 8)
    d = ((third >>> 16) + d * PRIME_LOW + (b << 8)) & 0xffff
    a = first & 0xffff
    b = second & 0xffff
    c = third & 0xffff
  }
  answer.setUint32(0, ((d << 16) | c) >>> 0)
  answer.setUint32(4, ((b << 16) | a) >>> 0)
  return answer.getBigUint64(0) & SIGN_BIT_CLEARED
}
