import { startOfHeaders } from './header-fields.ts'
import {
  beginMessage,
  CR,
  InvalidResponse,
  isDigit,
  LF,
  lineFeed,
  type ParserState,
  type Parsing,
  type ResponseHandler,
} from './parsing.ts'

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
const start: ParserState = (parsing, bytes, at) => {
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

export interface ResponseParser {
  /** The response is complete; the next bytes are not part of it. */
  readonly isComplete: boolean
  /** The body ends with the connection. */
  readonly isUntilClose: boolean
  /** The connection must be closed after this response: the server says so, or the response is unusual. */
  readonly isLast: boolean
  /** How long the connection may be idle, if the server said so. */
  readonly keepAliveMs: number | undefined
  /** Starts over, with the next response. */
  begin(): void
  /**
   * Reads bytes from `at` to `end` and calls the handler. Returns how far it has read: less than `end` if the response is complete or the
   * handler has stopped it. Throws `InvalidResponse`.
   */
  read(bytes: Buffer, at: number, end: number): number
}

/**
 * An incremental HTTP/1.1 response parser. It keeps nothing but the values of a few headers, so pieces of any length give the same result.
 *
 * A state is a function that consumes bytes and sets the next state. In order: blank lines → status line → headers → body by length, in
 * chunks, or until the connection closes. After an interim response the next head begins.
 *
 * It refuses what could be understood in two ways: two lengths, a length with an encoding, lines that end with LF alone, folded headers.
 * What does not change where the response ends is read, and the connection is closed after it: trailers, chunk extensions, a body that
 * 204 or 304 announces.
 */
export function createResponseParser(handler: ResponseHandler): ResponseParser {
  const parsing: Parsing = {
    handler,
    start,
    state: start,
    isStopped: false,
    isComplete: false,
    isUntilClose: false,
    isLast: false,
    keepAliveMs: undefined,
    place: 0,
    version: 0,
    status: 0,
    name: '',
    value: '',
    isKept: false,
    headers: {},
    contentLength: undefined,
    transferEncoding: undefined,
    connection: '',
    keepAlive: '',
    left: 0,
    hasDigit: false,
  }

  const begin = () => {
    beginMessage(parsing)
    parsing.isStopped = false
    parsing.isComplete = false
    parsing.isUntilClose = false
    parsing.isLast = false
    parsing.keepAliveMs = undefined
  }

  const read = (bytes: Buffer, at: number, end: number) => {
    parsing.isStopped = false
    let next = at
    while (next < end && !parsing.isComplete && !parsing.isStopped) next = parsing.state(parsing, bytes, next, end)
    return next
  }

  return {
    get isComplete() {
      return parsing.isComplete
    },
    get isUntilClose() {
      return parsing.isUntilClose
    },
    get isLast() {
      return parsing.isLast
    },
    get keepAliveMs() {
      return parsing.keepAliveMs
    },
    begin,
    read,
  }
}
