import type { AnswerHeaders } from '../outcome.ts'
import { beginBody } from './begin-body.ts'
import { byteSet, CR, InvalidResponse, LF, lineFeed, type ParserState, type Parsing } from './parsing.ts'

const TOKEN = byteSet((byte) => /[!#$%&'*+\-.^_`|~0-9A-Za-z]/.test(String.fromCharCode(byte)))
/** Tabs, what is printable, and everything beyond ASCII. */
const VALUE = byteSet((byte) => byte === 9 || (byte >= 32 && byte !== 127))
const SPACE = byteSet((byte) => byte === 9 || byte === 32)
const COLON = 58

/** What is done with each header that is read. */
const FIELDS: ReadonlyMap<string, (parsing: Parsing) => void> = new Map([
  ...(['content-type', 'retry-after', 'location'] as const).map((name) => [name, keepFirst(name)] as const),
  ['content-length', readContentLength],
  ['transfer-encoding', readTransferEncoding],
  ['connection', readConnection],
  ['proxy-connection', readConnection],
  ['keep-alive', readKeepAlive],
])

function keepFirst(name: keyof AnswerHeaders) {
  return ({ headers, value }: Parsing) => {
    headers[name] ??= value
  }
}

function readContentLength(parsing: Parsing) {
  const { value } = parsing
  if (parsing.transferEncoding !== undefined) throw new InvalidResponse("Content-Length can't be present with Transfer-Encoding")
  if (parsing.contentLength !== undefined) throw new InvalidResponse('Duplicate Content-Length')
  if (value === '') throw new InvalidResponse('Empty Content-Length')
  if (!/^\d+$/.test(value)) throw new InvalidResponse('Invalid character in Content-Length')
  parsing.contentLength = Number(value)
  if (parsing.contentLength > Number.MAX_SAFE_INTEGER) throw new InvalidResponse('Content-Length overflow')
}

/** Several headers count as one list. */
function readTransferEncoding(parsing: Parsing) {
  if (parsing.contentLength !== undefined) throw new InvalidResponse("Transfer-Encoding can't be present with Content-Length")
  if (parsing.value === '') throw new InvalidResponse('Empty Transfer-Encoding')
  const before = parsing.transferEncoding
  parsing.transferEncoding = before === undefined ? parsing.value : `${before},${parsing.value}`
}

function readConnection(parsing: Parsing) {
  parsing.connection += `,${parsing.value}`
}

function readKeepAlive(parsing: Parsing) {
  parsing.keepAlive += `,${parsing.value}`
}

export const startOfHeaders: ParserState = (parsing, bytes, at) => {
  if (bytes[at] === 32) throw new InvalidResponse('Unexpected space after start line')
  parsing.state = startOfField
  return at
}

const startOfField: ParserState = (parsing, bytes, at) => {
  const byte = bytes[at]!
  if (byte === LF) throw new InvalidResponse('Invalid header field char')
  if (SPACE[byte]) throw new InvalidResponse('Unexpected whitespace after header value')
  if (byte === CR) {
    parsing.state = endOfHeaders
    return at + 1
  }
  parsing.state = fieldName
  return at
}

const fieldName: ParserState = (parsing, bytes, at, end) => {
  let next = at
  while (next < end && TOKEN[bytes[next]!]) next += 1
  parsing.name += bytes.toString('latin1', at, next)
  if (next === end) return end
  if (bytes[next] !== COLON || parsing.name === '') throw new InvalidResponse('Invalid header token')
  parsing.name = parsing.name.toLowerCase()
  parsing.isKept = FIELDS.has(parsing.name)
  parsing.state = startOfValue
  return next + 1
}

const startOfValue: ParserState = (parsing, bytes, at) => {
  if (SPACE[bytes[at]!]) return at + 1
  parsing.state = fieldValue
  return at
}

const fieldValue: ParserState = (parsing, bytes, at, end) => {
  let next = at
  while (next < end && VALUE[bytes[next]!]) next += 1
  if (parsing.isKept) parsing.value += bytes.toString('latin1', at, next)
  if (next === end) return end
  if (bytes[next] === LF) throw new InvalidResponse('Missing expected CR after header value')
  if (bytes[next] !== CR) throw new InvalidResponse('Invalid header value char')
  parsing.state = endOfField
  return next + 1
}

/** White space around a value is not part of it (RFC 9112, 5.1). */
function withoutSpaceAtEnd(value: string): string {
  let end = value.length
  while (end > 0 && SPACE[value.charCodeAt(end - 1)]) end -= 1
  return value.slice(0, end)
}

const endOfField = lineFeed('Missing expected LF after header value', (parsing) => {
  parsing.value = withoutSpaceAtEnd(parsing.value)
  FIELDS.get(parsing.name)?.(parsing)
  parsing.name = ''
  parsing.value = ''
  parsing.state = startOfField
})

const endOfHeaders = lineFeed('Expected LF after headers', beginBody)
