import { mediaProblem } from './media-problem.ts'

const ALPHABET = /^[A-Za-z0-9+/_-]*$/

const WHITESPACE = /\s+/g

/** Decodes base64 as it comes. Line breaks are passed over; anything else that is not base64 is 400. */
export async function* decodeBase64(name: string, pieces: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  const wrong = () => mediaProblem('must be base64', name)
  let rest = ''
  let isPadded = false
  for await (const piece of pieces) {
    const text = rest + Buffer.from(piece.buffer, piece.byteOffset, piece.length).toString('latin1').replace(WHITESPACE, '')
    const plain = text.replace(/=+$/, '')
    if (!ALPHABET.test(plain) || (isPadded && plain !== '')) throw wrong()
    isPadded ||= plain.length < text.length
    const whole = isPadded ? plain.length : plain.length - (plain.length % 4)
    if (isPadded && plain.length % 4 === 1) throw wrong()
    rest = isPadded ? '' : plain.slice(whole)
    if (whole > 0) yield Buffer.from(plain.slice(0, whole), 'base64')
  }
  if (rest.length === 1) throw wrong()
  if (rest !== '') yield Buffer.from(rest, 'base64')
}
