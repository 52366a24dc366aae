import { CR, InvalidResponse, LF, lineFeed, type ParserState, type Parsing } from './parsing.ts'

const SEMICOLON = 59

/** Hands on at most `left` bytes of the body. Returns where they end. */
function handOn(parsing: Parsing, bytes: Buffer, at: number, end: number, then: () => void): number {
  const next = Math.min(end, at + parsing.left)
  parsing.left -= next - at
  if (parsing.left === 0) then()
  if (!parsing.handler.body(bytes, at, next)) parsing.isStopped = true
  return next
}

export const bodyOfLength: ParserState = (parsing, bytes, at, end) =>
  handOn(parsing, bytes, at, end, () => {
    parsing.isComplete = true
  })

export const bodyUntilClose: ParserState = (parsing, bytes, at, end) => {
  if (!parsing.handler.body(bytes, at, end)) parsing.isStopped = true
  return end
}

/** The value of a hexadecimal digit, or -1. */
function hexOf(byte: number): number {
  if (byte >= 48 && byte <= 57) return byte - 48
  const letter = byte | 32
  return letter >= 97 && letter <= 102 ? letter - 87 : -1
}

export const startOfChunk: ParserState = (parsing, _bytes, at) => {
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
