import { cutText } from '../../lib/text.ts'

/** Control, format and half characters, and what breaks a line. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu

/** Escapes control characters, format characters and lone surrogates as `\u....`; the result is one line. */
export const printable = (text: string): string =>
  text.replace(UNPRINTABLE, (character) => `\\u${character.codePointAt(0)!.toString(16).padStart(4, '0')}`)

/** Cuts a text to at most `max` characters and an ellipsis. */
export const shorten = (text: string, max: number): string => (text.length > max ? `${text.slice(0, max)}…` : text)

/** How much of a response body is kept of each attempt, in characters. */
export const MAX_RESPONSE_LENGTH = 200
/** UTF-8 takes at most four bytes for one character. */
const MAX_BYTES = MAX_RESPONSE_LENGTH * 4

const WITHHELD = '(withheld: the response holds a consumer secret)'

/** One printable line: line breaks and tabs become spaces, whatever else does not show becomes U+FFFD. */
const printableLine = (text: string) => text.replace(/[\t\n\r]/g, ' ').replace(UNPRINTABLE, '\ufffd')

/** The beginning of a response body for the operator: at most 200 printable characters. Nothing of one that holds one of `known`. */
export function responseOf(body: Buffer, known: readonly Buffer[]): string {
  if (body.length === 0) return ''
  if (known.some((bytes) => body.includes(bytes))) return WITHHELD
  return printableLine(cutText(body.toString('utf8', 0, MAX_BYTES), MAX_RESPONSE_LENGTH))
}
