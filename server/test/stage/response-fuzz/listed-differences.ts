import type { FuzzCase } from './fuzz-case.ts'
import type { CaseOutcome } from './run-case.ts'

interface Pair {
  /** Everything that the callback sends. */
  text: string
  ours: CaseOutcome
  undici: CaseOutcome
}

const FAILED = /^[a-z]/
/** Ours has no answer yet, or lost the connection; undici has refused the beginning. */
const isUndecided = ({ ours, undici }: Pair) =>
  undici.first.what === 'protocol' && /^(?:waiting|reading|connection_lost)$/.test(ours.first.what)
const isRefusedByUndici = ({ ours, undici }: Pair) => undici.first.what === 'protocol' && !FAILED.test(ours.first.what)
const sameAnswer = ({ ours, undici }: Pair) => JSON.stringify(ours.first) === JSON.stringify(undici.first)
/** Headers without the white space after their values. */
const trimmed = (headers = '') => headers.replace(/(?: |\\t)+"\]/g, '"]')
const isClosedByOurs = (pair: Pair) => sameAnswer(pair) && !pair.ours.isKept && pair.undici.isKept
/** An extension after the size of a chunk, or something between the last chunk and the blank line. */
const hasExtras = ({ text }: Pair) => /\n[0-9a-f]+;/i.test(text) || /\n0+\r\n(?!\r\n)/.test(text)

/** How the outcomes of the two connections may differ. Nothing else is allowed. */
export const LISTED: Record<string, (pair: Pair) => boolean> = {
  'trailers and chunk extensions are not looked at': (pair) => hasExtras(pair) && (isRefusedByUndici(pair) || isUndecided(pair)),
  'after trailers or chunk extensions the connection is closed': (pair) => hasExtras(pair) && isClosedByOurs(pair),
  'after a response that blank lines follow the connection is closed': (pair) => /[\r\n]$/.test(pair.text) && isClosedByOurs(pair),
  'after 100 Continue the response is read': (pair) => /HTTP\/\d\.\d 100/.test(pair.text) && (isRefusedByUndici(pair) || isUndecided(pair)),
  'white space after a value is not part of it': ({ text, ours, undici }) =>
    /chunked[ \t]*\t[ \t]*\r/i.test(text) ||
    (/[ \t]\r/.test(text) && ours.first.headers !== undici.first.headers && ours.first.headers === trimmed(undici.first.headers)),
  'only HTTP is HTTP, not RTSP or ICE': ({ text, ours }) =>
    (/(?:RTSP|ICE)\/\d/.test(text) || /(?:^|\n)(?:R(?:TS?|TSP\/?)?|I(?:C|CE\/?)?)$/.test(text)) && ours.first.what === 'protocol',
  'a line ends with one CR': ({ text, ours }) => /\r\r/.test(text) && ours.first.what === 'protocol',
  'a header is read at the end of its line, so one that is cut off is only lost': isUndecided,
  'an interim response may say that its connection is the last': (pair) => /HTTP\/\d\.\d 1\d\d/.test(pair.text) && isRefusedByUndici(pair),
  'chunks that are named twice are not understood': ({ text }) => /chunked[\s\S]*chunked/i.test(text),
  'an HTTP/1.0 connection that says both close and keep-alive is closed': (pair) =>
    /keep-alive/i.test(pair.text) && /close/i.test(pair.text) && isClosedByOurs(pair),
  'a tab after keep-alive belongs to no word, so that the connection is kept': (pair) =>
    /keep-alive\t/i.test(pair.text) && sameAnswer(pair) && pair.ours.isKept && !pair.undici.isKept,
  'after an encoding of another version than HTTP/1.1 the connection is closed': (pair) =>
    /HTTP\/(?:0\.9|1\.0|2\.0)/.test(pair.text) && /transfer-encoding/i.test(pair.text) && isClosedByOurs(pair),
  'an empty Content-Length or Transfer-Encoding is refused, and as soon as its line ends': ({ text, ours }) =>
    /\n(?:content-length|transfer-encoding):[ \t]*\r/i.test(text) && ours.first.what === 'protocol',
  'blanks after a Content-Length are not read as digits': ({ text, ours }) =>
    /\ncontent-length:[ \t]*\d+[ \t]+\r/i.test(text) && !FAILED.test(ours.first.what),
  'a length beyond 2^53 is refused': ({ text, ours }) => /[0-9a-f]{14}/i.test(text) && ours.first.what === 'protocol',
  'limits are exact, wherever a response is cut': ({ text, ours, undici }) =>
    text.length > 16_384 && (ours.first.isTruncated === true || undici.first.isTruncated === true || ours.first.what === 'protocol'),
}

/** The name of the listed difference of two outcomes. Undefined if they are the same, or differ in another way. */
export function listedDifference(fuzzCase: FuzzCase, ours: CaseOutcome, undici: CaseOutcome): string | undefined {
  const text = Buffer.concat(fuzzCase.pieces).toString('latin1')
  return Object.keys(LISTED).find((name) => LISTED[name]!({ text, ours, undici }))
}
