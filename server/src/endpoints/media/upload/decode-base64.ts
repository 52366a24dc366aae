import { mediaProblem } from './media-problem.ts'

const ALPHABET = /^[A-Za-z0-9+/_-]*$/

const WHITESPACE = /\s+/g

const PADDING = '='
const MAX_PADDING = 2

/** How many characters of padding a text ends with. A pattern that is tied to the end would look at each run of them from each of its places. */
function paddingAtEnd(text: string): number {
  let count = 0
  while (count <= MAX_PADDING && text.at(-1 - count) === PADDING) count += 1
  return count
}

/** Decodes base64 as it comes. Line breaks are passed over; anything else that is not base64 is 400. */
export async function* decodeBase64(name: string, pieces: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  const wrong = () => mediaProblem('must be base64', name)
  let rest = ''
  let padding = 0
  for await (const piece of pieces) {
    const text = rest + Buffer.from(piece.buffer, piece.byteOffset, piece.length).toString('latin1').replace(WHITESPACE, '')
    const more = paddingAtEnd(text)
    const plain = more === 0 ? text : text.slice(0, -more)
    if (padding > 0 && plain !== '') throw wrong()
    padding += more
    const isPadded = padding > 0
    if (padding > MAX_PADDING || !ALPHABET.test(plain) || (isPadded && plain.length % 4 === 1)) throw wrong()
    const whole = isPadded ? plain.length : plain.length - (plain.length % 4)
    rest = isPadded ? '' : plain.slice(whole)
    if (whole > 0) yield Buffer.from(plain.slice(0, whole), 'base64')
  }
  if (rest.length === 1) throw wrong()
  if (rest !== '') yield Buffer.from(rest, 'base64')
}
