import { startOfHeaders } from './header-fields.ts'
import { CR, InvalidResponse, isDigit, LF, lineFeed, type ParserState, type Parsing } from './parsing.ts'

const is = (character: string) => (byte: number) => byte === character.charCodeAt(0)

/** The fixed part of a status line, `HTTP/1.1 200`: what may stand at each place, and the reason if something else does. */
const FIXED: readonly (readonly [isAllowed: (byte: number) => boolean, reason: string])[] = [
  ...Array.from('HTTP/', (character) => [is(character), 'it does not begin with HTTP/'] as const),
  [isDigit, 'Invalid major version'],
  [is('.'), 'Expected dot'],
  [isDigit, 'Invalid minor version'],
  [is(' '), 'Expected space after version'],
  [isDigit, 'Invalid status code'],
  [isDigit, 'Invalid status code'],
  [isDigit, 'Invalid status code'],
]
const MAJOR = 5
const MINOR = 7
const STATUS = 9

/** As `10 * major + minor`. The others are taken for versions without keep-alive. */
const VERSIONS: ReadonlySet<number> = new Set([9, 10, 11, 20])

/** Skips blank lines before a status line. */
export const start: ParserState = (parsing, bytes, at) => {
  if (bytes[at] === CR || bytes[at] === LF) return at + 1
  parsing.state = fixedPart
  return at
}

function keepDigit(parsing: Parsing, digit: number) {
  if (parsing.place === MAJOR) parsing.version = digit * 10
  if (parsing.place === MINOR) {
    parsing.version += digit
    if (!VERSIONS.has(parsing.version)) throw new InvalidResponse('Invalid HTTP version')
  }
  if (parsing.place >= STATUS) parsing.status = parsing.status * 10 + digit
}

const fixedPart: ParserState = (parsing, bytes, at) => {
  const byte = bytes[at]!
  const [isAllowed, reason] = FIXED[parsing.place]!
  if (!isAllowed(byte)) throw new InvalidResponse(reason)
  if (isAllowed === isDigit) keepDigit(parsing, byte - 48)
  parsing.place += 1
  if (parsing.place === FIXED.length) parsing.state = afterStatus
  return at + 1
}

const afterStatus: ParserState = (parsing, bytes, at) => {
  if (bytes[at] === CR) parsing.state = endOfLine
  else if (bytes[at] === 32) parsing.state = reasonPhrase
  else throw new InvalidResponse('Invalid response status')
  return at + 1
}

const reasonPhrase: ParserState = (parsing, bytes, at, end) => {
  let next = at
  while (next < end && bytes[next] !== CR && bytes[next] !== LF) next += 1
  if (next === end) return end
  if (bytes[next] === LF) throw new InvalidResponse('Missing expected CR after response line')
  parsing.state = endOfLine
  return next + 1
}

const endOfLine = lineFeed('Expected LF after CR', (parsing) => {
  parsing.state = startOfHeaders
})
