import { SECOND_MS } from '../../../lib/time.ts'
import { beginMessage, CR, InvalidResponse, LF, lineFeed, type ParserState, type Parsing } from './parsing.ts'

const SEMICOLON = 59

/** Hands on at most `left` bytes of the body. Returns where they end. */
function handOn(parsing: Parsing, bytes: Buffer, at: number, end: number, then: () => void): number {
  const next = Math.min(end, at + parsing.left)
  parsing.left -= next - at
  if (parsing.left === 0) then()
  if (!parsing.handler.body(bytes, at, next)) parsing.isStopped = true
  return next
}

const bodyOfLength: ParserState = (parsing, bytes, at, end) =>
  handOn(parsing, bytes, at, end, () => {
    parsing.isComplete = true
  })

const bodyUntilClose: ParserState = (parsing, bytes, at, end) => {
  if (!parsing.handler.body(bytes, at, end)) parsing.isStopped = true
  return end
}

/** The value of a hexadecimal digit, or -1. */
function hexOf(byte: number): number {
  if (byte >= 48 && byte <= 57) return byte - 48
  const letter = byte | 32
  return letter >= 97 && letter <= 102 ? letter - 87 : -1
}

const startOfChunk: ParserState = (parsing, _bytes, at) => {
  parsing.left = 0
  parsing.hasDigit = false
  parsing.state = chunkSize
  return at
}

const chunkSize: ParserState = (parsing, bytes, at) => {
  const byte = bytes[at]!
  const digit = hexOf(byte)
  if (digit >= 0) {
    parsing.left = parsing.left * 16 + digit
    parsing.hasDigit = true
    if (parsing.left > Number.MAX_SAFE_INTEGER) throw new InvalidResponse('Chunk size overflow')
  } else if (!parsing.hasDigit) throw new InvalidResponse('Invalid character in chunk size')
  else if (byte === CR) parsing.state = endOfChunkSize
  else if (byte === SEMICOLON) parsing.state = chunkExtension
  else if (byte === LF) throw new InvalidResponse('Missing expected CR after chunk size')
  else throw new InvalidResponse('Invalid character in chunk size')
  return at + 1
}

/** Chunk extensions are skipped without a look at them. */
const chunkExtension: ParserState = (parsing, bytes, at, end) => {
  parsing.isLast = true
  let next = at
  while (next < end && bytes[next] !== CR && bytes[next] !== LF) next += 1
  if (next === end) return end
  if (bytes[next] === LF) throw new InvalidResponse('Missing expected CR after chunk extension')
  parsing.state = endOfChunkSize
  return next + 1
}

const endOfChunkSize = lineFeed('Expected LF after chunk size', (parsing) => {
  parsing.state = parsing.left === 0 ? startOfTrailer : chunkData
})

const chunkData: ParserState = (parsing, bytes, at, end) =>
  handOn(parsing, bytes, at, end, () => {
    parsing.state = endOfChunk
  })

const endOfChunk: ParserState = (parsing, bytes, at) => {
  if (bytes[at] === LF) throw new InvalidResponse('Missing expected CR after chunk data')
  if (bytes[at] !== CR) throw new InvalidResponse('Expected LF after chunk data')
  parsing.state = endOfChunkLine
  return at + 1
}

const endOfChunkLine = lineFeed('Expected LF after chunk data', (parsing) => {
  parsing.state = startOfChunk
})

/** Trailers are skipped without a look at them. */
const startOfTrailer: ParserState = (parsing, bytes, at) => {
  if (bytes[at] === CR) {
    parsing.state = endOfTrailers
    return at + 1
  }
  parsing.isLast = true
  parsing.state = trailer
  return at
}

const trailer: ParserState = (parsing, bytes, at, end) => {
  let next = at
  while (next < end && bytes[next] !== LF) next += 1
  if (next === end) return end
  parsing.state = startOfTrailer
  return next + 1
}

const endOfTrailers = lineFeed('Expected LF after headers', (parsing) => {
  parsing.isComplete = true
})

const VERSION_1_1 = 11
/** A connection is closed this long before the server says that it closes it. */
const KEEP_ALIVE_MARGIN_MS = 2 * SECOND_MS

/** Whether a connection stays open after this message. */
function mayFollow({ version, connection }: Parsing): boolean {
  if (connection === '') return version === VERSION_1_1
  const options = connection.toLowerCase().split(',')
  const says = (option: string) => options.some((one) => one.trim() === option)
  return !says('close') && (version === VERSION_1_1 || says('keep-alive'))
}

/** The hint of the server: `keep-alive: timeout=5`. */
function readKeepAlive(parsing: Parsing): void {
  parsing.keepAliveMs = undefined
  const seconds = parsing.keepAlive && /,[ \t]*timeout=(\d+)/i.exec(parsing.keepAlive)?.[1]
  if (!seconds) return
  parsing.keepAliveMs = Number(seconds) * SECOND_MS - KEEP_ALIVE_MARGIN_MS
  if (parsing.keepAliveMs <= 0) parsing.isLast = true
}

function refuse({ status }: Parsing): void {
  if (status < 100) throw new InvalidResponse('its status is not that of an answer')
  if (status === 101) throw new InvalidResponse('it switches protocols, which was not asked for')
}

/** Whether chunks are the last encoding, and only once. */
function isChunked(transferEncoding: string): boolean {
  const encodings = transferEncoding.split(',')
  return encodings.findIndex((one) => /^[ \t]*chunked[ \t]*$/i.test(one)) === encodings.length - 1
}

function chooseBody(parsing: Parsing): void {
  const { status, transferEncoding, contentLength, version } = parsing
  // Somebody in between may not know of chunks (RFC 9112, 6.1).
  if (transferEncoding !== undefined && version !== VERSION_1_1) parsing.isLast = true
  if (status === 204 || status === 304) {
    // The body that these must not have may come all the same.
    if (contentLength || transferEncoding !== undefined) parsing.isLast = true
    parsing.isComplete = true
  } else if (transferEncoding !== undefined && isChunked(transferEncoding)) parsing.state = startOfChunk
  else if (transferEncoding !== undefined || contentLength === undefined) {
    parsing.isUntilClose = true
    parsing.isLast = true
    parsing.state = bodyUntilClose
  } else {
    parsing.left = contentLength
    parsing.isComplete = contentLength === 0
    parsing.state = bodyOfLength
  }
}

/** Decides what follows the headers: the body, the end, or after an interim response another head. */
export function beginBody(parsing: Parsing): void {
  refuse(parsing)
  if (mayFollow(parsing)) readKeepAlive(parsing)
  else parsing.isLast = true
  if (parsing.status < 200) {
    beginMessage(parsing)
    return
  }
  chooseBody(parsing)
  if (!parsing.handler.head(parsing.status, parsing.headers, parsing.contentLength)) parsing.isStopped = true
}
