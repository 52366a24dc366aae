import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { AnswerHeaders } from '../../src/delivery/send/outcome.ts'
import { InvalidResponse } from '../../src/delivery/send/response/parsing.ts'
import { createResponseParser } from '../../src/delivery/send/response/response-parser.ts'

const OK = 'HTTP/1.1 200 OK\r\n'
const CHUNKED = `${OK}transfer-encoding: chunked\r\n\r\n`

/** What a parser makes of a response. */
interface Parsed {
  /** Status, and what is kept of the headers. */
  head?: [status: number, headers: AnswerHeaders, length: number | undefined]
  body: string
  /** `complete`, `until close`, `more` or the reason why it is invalid. */
  end: string
  /** How many bytes do not belong to it. */
  rest: number
  isLast: boolean
  keepAliveMs: number | undefined
}

/** Parses pieces of at most so many bytes. */
function parse(text: string, pieceLength: number): Parsed {
  const parsed: Parsed = { body: '', end: 'more', rest: 0, isLast: false, keepAliveMs: undefined }
  const parser = createResponseParser({
    head(status, headers, length) {
      parsed.head = [status, headers, length]
      return true
    },
    body(bytes, at, end) {
      parsed.body += bytes.toString('latin1', at, end)
      return true
    },
  })
  parser.begin()
  const bytes = Buffer.from(text, 'latin1')
  try {
    for (let at = 0; at < bytes.length && !parser.isComplete; ) {
      at = parser.read(bytes, at, Math.min(bytes.length, at + pieceLength))
      parsed.rest = bytes.length - at
    }
  } catch (error) {
    assert.ok(error instanceof InvalidResponse, String(error))
    return { ...parsed, end: error.message, rest: 0 }
  }
  if (parser.isComplete) parsed.end = 'complete'
  else if (parser.isUntilClose) parsed.end = 'until close'
  return { ...parsed, isLast: parser.isLast, keepAliveMs: parser.keepAliveMs }
}

type Expected = Partial<Parsed> & { end: string }

const complete = (body: string, more: Partial<Parsed> = {}): Expected => ({ end: 'complete', body, isLast: false, rest: 0, ...more })
const last = (body: string, more: Partial<Parsed> = {}): Expected => complete(body, { isLast: true, ...more })
const invalid = (reason: string): Expected => ({ end: reason })

const RESPONSES: Record<string, [text: string, expected: Expected]> = {
  'a body of a length': [`${OK}content-length: 2\r\n\r\nok`, complete('ok', { head: [200, {}, 2] })],
  'what follows a response is not part of it': [`${OK}content-length: 2\r\n\r\nokHTTP`, complete('ok', { rest: 4 })],
  'three headers are kept, the first of each': [
    `${OK}Content-Type: a/b; c \r\nretry-after:5\r\nRetry-After: 6\r\nLOCATION:\t/x\r\nX-Other: y\r\nContent-Length: 0\r\n\r\n`,
    complete('', { head: [200, { 'content-type': 'a/b; c', 'retry-after': '5', location: '/x' }, 0] }),
  ],
  'white space around values': [
    `${OK}Retry-After:\t 120 \t\r\nLocation: /\xa0 \r\nTransfer-Encoding: chunked\t\r\n\r\n1\r\na\r\n0\r\n\r\n`,
    complete('a', { head: [200, { 'retry-after': '120', location: '/\xa0' }, undefined] }),
  ],
  'white space after a length': [`${OK}content-length: 2 \r\n\r\nok`, complete('ok')],
  'no length': [`${OK}\r\nall of it`, { end: 'until close', body: 'all of it', isLast: true }],
  'a reason that is missing': ['HTTP/1.1 200\r\ncontent-length: 0\r\n\r\n', complete('')],
  'blank lines before it': [`\r\n\n\r${OK}content-length: 0\r\n\r\n`, complete('')],
  'interim responses': [
    `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\nlocation: /early\r\n\r\n${OK}content-length: 1\r\n\r\na`,
    complete('a', { head: [200, {}, 1] }),
  ],
  'an interim response on a last connection': [`HTTP/1.1 103 X\r\nconnection: close\r\n\r\n${OK}content-length: 0\r\n\r\n`, last('')],
  chunks: [`${CHUNKED}5\r\nhello\r\n00A\r\n0123456789\r\n0\r\n\r\n`, complete('hello0123456789')],
  'chunks, after another encoding': [`${OK}transfer-encoding: gzip,\tCHUNKED \r\n\r\n1\r\na\r\n0\r\n\r\n`, complete('a')],
  'chunks that are named twice': [`${OK}transfer-encoding: chunked, chunked\r\n\r\n0\r\n\r\n`, { end: 'until close', isLast: true }],
  'an encoding after chunks': [`${OK}transfer-encoding: chunked, gzip\r\n\r\n0\r\n\r\n`, { end: 'until close', isLast: true }],
  'an unknown encoding': [`${OK}transfer-encoding: smoke\r\n\r\nabc`, { end: 'until close', body: 'abc', isLast: true }],
  'chunk extensions': [`${CHUNKED}1;a="\0";b\r\nx\r\n0;c\r\n\r\n`, last('x')],
  trailers: [`${CHUNKED}1\r\nx\r\n0\r\na: b\r\nc\r\n\r\n`, last('x')],
  '204 without a body': ['HTTP/1.1 204 No Content\r\n\r\n', complete('')],
  '204 with a length of zero': ['HTTP/1.1 204 No Content\r\ncontent-length: 0\r\n\r\n', complete('')],
  '204 with a length': ['HTTP/1.1 204 No Content\r\ncontent-length: 5\r\n\r\nhello', last('', { rest: 5 })],
  '304 with chunks': ['HTTP/1.1 304 Not Modified\r\ntransfer-encoding: chunked\r\n\r\n', last('')],
  'connection: close': [`${OK}Connection: x, Close\r\ncontent-length: 0\r\n\r\n`, last('')],
  'proxy-connection: close': [`${OK}proxy-connection: close\r\ncontent-length: 0\r\n\r\n`, last('')],
  'HTTP/1.0': ['HTTP/1.0 200 OK\r\ncontent-length: 0\r\n\r\n', last('')],
  'HTTP/1.0 that is kept': ['HTTP/1.0 200 OK\r\nconnection: keep-alive\r\ncontent-length: 0\r\n\r\n', complete('')],
  'HTTP/1.0 that says both': ['HTTP/1.0 200 OK\r\nconnection: keep-alive, close\r\ncontent-length: 0\r\n\r\n', last('')],
  'HTTP/2.0': ['HTTP/2.0 200 OK\r\ncontent-length: 0\r\n\r\n', last('')],
  'keep-alive of 5 seconds': [`${OK}keep-alive: max=9, timeout=5\r\ncontent-length: 0\r\n\r\n`, complete('', { keepAliveMs: 3000 })],
  'keep-alive of 2 seconds': [`${OK}keep-alive: timeout=2\r\ncontent-length: 0\r\n\r\n`, last('')],
  'keep-alive without a number': [`${OK}keep-alive: timeout=x\r\ncontent-length: 0\r\n\r\n`, complete('', { keepAliveMs: undefined })],

  'another protocol': ['ICE/1.0 200 OK\r\n', invalid('it does not begin with HTTP/')],
  'a version without a number': ['HTTP/x.1 200', invalid('Invalid major version')],
  'a version without a dot': ['HTTP/11 200', invalid('Expected dot')],
  'a minor version without a number': ['HTTP/1.x 200', invalid('Invalid minor version')],
  'an unknown version': ['HTTP/1.2', invalid('Invalid HTTP version')],
  'two spaces before the status': ['HTTP/1.1  200', invalid('Invalid status code')],
  'no space before the status': ['HTTP/1.1200', invalid('Expected space after version')],
  'a status of four digits': ['HTTP/1.1 2000', invalid('Invalid response status')],
  'a status below 100': ['HTTP/1.1 099 X\r\n\r\n', invalid('its status is not that of an answer')],
  '101 Switching Protocols': ['HTTP/1.1 101 X\r\n\r\n', invalid('it switches protocols, which was not asked for')],
  'a status line that ends with LF': ['HTTP/1.1 200 OK\n', invalid('Missing expected CR after response line')],
  'a status line with CR in it': ['HTTP/1.1 200 O\rK', invalid('Expected LF after CR')],
  'a space before the first header': [`${OK} a: b\r\n`, invalid('Unexpected space after start line')],
  'a folded header': [`${OK}a: b\r\n\tc\r\n`, invalid('Unexpected whitespace after header value')],
  'headers that end with LF': [`${OK}a: b\r\n\n`, invalid('Invalid header field char')],
  'headers that end with CR': [`${OK}a: b\r\n\ra`, invalid('Expected LF after headers')],
  'a header without a name': [`${OK}: b\r\n`, invalid('Invalid header token')],
  'a header without a colon': [`${OK}abc\r\n`, invalid('Invalid header token')],
  'a space before a colon': [`${OK}content-length : 5\r\n`, invalid('Invalid header token')],
  'NUL in a value': [`${OK}a: \0\r\n`, invalid('Invalid header value char')],
  'DEL in a value': [`${OK}a: \x7f\r\n`, invalid('Invalid header value char')],
  'a value that ends with LF': [`${OK}a: b\n`, invalid('Missing expected CR after header value')],
  'a value with CR in it': [`${OK}a: b\rc`, invalid('Missing expected LF after header value')],
  'an empty length': [`${OK}content-length: \r\n`, invalid('Empty Content-Length')],
  'a length that is none': [`${OK}content-length: 0x5\r\n`, invalid('Invalid character in Content-Length')],
  'the same length twice': [`${OK}content-length: 5\r\ncontent-length: 5\r\n`, invalid('Duplicate Content-Length')],
  'a length beyond 2^53': [`${OK}content-length: 9007199254740992\r\n`, invalid('Content-Length overflow')],
  'a length after an encoding': [
    `${OK}transfer-encoding: chunked\r\ncontent-length: 5\r\n`,
    invalid("Content-Length can't be present with Transfer-Encoding"),
  ],
  'an encoding after a length': [
    `${OK}content-length: 5\r\ntransfer-encoding: chunked\r\n`,
    invalid("Transfer-Encoding can't be present with Content-Length"),
  ],
  'an empty encoding': [`${OK}transfer-encoding:\r\n`, invalid('Empty Transfer-Encoding')],
  'a chunk without a size': [`${CHUNKED}\r\n`, invalid('Invalid character in chunk size')],
  'a space after the size of a chunk': [`${CHUNKED}5 \r\n`, invalid('Invalid character in chunk size')],
  'the size of a chunk beyond 2^53': [`${CHUNKED}20000000000000\r\n`, invalid('Chunk size overflow')],
  'the size of a chunk that ends with LF': [`${CHUNKED}5\n`, invalid('Missing expected CR after chunk size')],
  'the size of a chunk with CR after it': [`${CHUNKED}5\rx`, invalid('Expected LF after chunk size')],
  'a chunk extension that ends with LF': [`${CHUNKED}5;a\n`, invalid('Missing expected CR after chunk extension')],
  'a chunk that is longer than its size': [`${CHUNKED}1\r\nab`, invalid('Expected LF after chunk data')],
  'a chunk with LF after it': [`${CHUNKED}1\r\na\n`, invalid('Missing expected CR after chunk data')],
  'a chunk with CR after it': [`${CHUNKED}1\r\na\rb`, invalid('Expected LF after chunk data')],
  'a last chunk with CR after it': [`${CHUNKED}0\r\n\rb`, invalid('Expected LF after headers')],
}

describe('a response is parsed, in pieces of any length:', () => {
  for (const [name, [text, expected]] of Object.entries(RESPONSES))
    test(name, () => {
      const whole = parse(text, text.length)
      assert.deepEqual({ ...whole, ...expected }, whole)
      for (const pieceLength of [1, 2, 3, 7]) assert.deepEqual(parse(text, pieceLength), whole, `in pieces of ${pieceLength}`)
    })
})

test('nothing of a response is left for the next', () => {
  const heads: object[] = []
  const parser = createResponseParser({
    head: (status, headers, length) => heads.push({ status, headers, length }) > 0,
    body: () => true,
  })
  const texts = [
    `${OK}connection: close\r\nkeep-alive: timeout=9\r\nlocation: /x\r\ncontent-length: 0\r\n\r\n`,
    'HTTP/1.1 503 X\r\ntransfer-encoding: chunked\r\n\r\n0;x\r\n\r\n',
    `${OK}content-length: 0\r\n\r\n`,
  ]
  for (const text of texts) {
    parser.begin()
    assert.equal(parser.read(Buffer.from(text), 0, text.length), text.length)
    assert.ok(parser.isComplete)
  }
  assert.deepEqual([parser.isLast, parser.isUntilClose, parser.keepAliveMs], [false, false, undefined])
  assert.deepEqual(heads, [
    { status: 200, headers: { location: '/x' }, length: 0 },
    { status: 503, headers: {}, length: undefined },
    { status: 200, headers: {}, length: 0 },
  ])
})

test('a handler stops the parser after the head or a piece, and it goes on from there', () => {
  const seen: string[] = []
  const parser = createResponseParser({
    head: () => seen.push('head') === 0,
    body: (bytes, at, end) => seen.push(bytes.toString('latin1', at, end)) === 0,
  })
  const bytes = Buffer.from(`${CHUNKED}1\r\na\r\n2\r\nbc\r\n0\r\n\r\n`)
  parser.begin()
  const places: number[] = []
  for (let at = 0; at < bytes.length; places.push(at)) at = parser.read(bytes, at, bytes.length)
  assert.deepEqual(seen, ['head', 'a', 'bc'])
  assert.deepEqual(places, [CHUNKED.length, CHUNKED.length + 4, CHUNKED.length + 11, bytes.length])
  assert.ok(parser.isComplete)
})
