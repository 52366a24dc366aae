import type { Random } from '../hostile/random.ts'

/** What a callback does with one connection. */
export interface FuzzCase {
  /** What it sends once it has the request, piece by piece, with a turn of the event loop after each. */
  pieces: readonly Buffer[]
  /** What it does then, if the connection is still open. */
  next: 'nothing' | 'ends' | 'resets' | 'answers another request'
  /** Whether it reads the request: at once, after the response, or never. */
  reads: 'at once' | 'late' | 'never'
}

const HEAD = 'HTTP/1.1 200 OK\r\n'
const CHUNKED = `${HEAD}Transfer-Encoding: chunked\r\n\r\n`

/** Responses that servers send. */
const VALID: readonly string[] = [
  `${HEAD}Content-Length: 0\r\n\r\n`,
  `${HEAD}Date: Mon, 23 Nov 2026 12:00:00 GMT\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: 15\r\nConnection: keep-alive\r\nKeep-Alive: timeout=5\r\n\r\n{"result":"ok"}`,
  `${HEAD}content-length: 2\r\nconnection: close\r\n\r\nok`,
  `${HEAD}Keep-Alive: timeout=1, max=10\r\ncontent-length: 2\r\n\r\nok`,
  `${HEAD}\r\nuntil the connection ends`,
  `${CHUNKED}5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n`,
  `${CHUNKED}5;name=value\r\nhello\r\n0;a="b"\r\n\r\n`,
  `${CHUNKED}a\r\n0123456789\r\n0\r\nX-Trailer: yes\r\n\r\n`,
  `${HEAD}Transfer-Encoding: gzip, chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n`,
  `${HEAD}Transfer-Encoding: gzip\r\n\r\nabc`,
  'HTTP/1.1 204 No Content\r\n\r\n',
  'HTTP/1.1 204 No Content\r\nContent-Length: 0\r\n\r\n',
  'HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n',
  'HTTP/1.1 503 Service Unavailable\r\nRetry-After: 120\r\nContent-Type: text/plain\r\nContent-Length: 4\r\n\r\nbusy',
  'HTTP/1.1 307 Temporary Redirect\r\nLocation: https://example.com/\r\nContent-Length: 0\r\n\r\n',
  'HTTP/1.1 103 Early Hints\r\nLink: </a>; rel=preload\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok',
  'HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 410 Gone\r\nContent-Length: 0\r\n\r\n',
  'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n',
  'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
  'HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok',
  'HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 2\r\n\r\nok',
  'HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n',
  `\r\n${HEAD}Content-Length: 0\r\n\r\n`,
  `${HEAD}Content-Length: 40\r\n\r\n${'a'.repeat(40)}`,
  `${HEAD}Content-Length: 17000\r\n\r\n${'a'.repeat(17_000)}`,
  `${HEAD}X: ${'x'.repeat(12_000)}\r\nContent-Length: 5000\r\n\r\n${'a'.repeat(5000)}`,
  `${HEAD}X: ${'x'.repeat(17_000)}\r\nContent-Length: 0\r\n\r\n`,
  `${CHUNKED}${'1\r\na\r\n'.repeat(6000)}0\r\n\r\n`,
]

/** What is put into a response: pieces of the grammar, and what is just beyond it. */
const PIECES: readonly string[] = [
  ...[
    '\r\n',
    '\n',
    '\r',
    '\0',
    ' ',
    '\t',
    ':',
    ',',
    ';',
    '"',
    '\\',
    '-',
    '+',
    '0',
    '1',
    '9',
    'f',
    'ffffffffffffffff',
    '\x7f',
    '\x80',
    '\xff',
  ],
  ...[
    'HTTP/1.1 ',
    'HTTP/1.0 ',
    'HTTP/2.0 ',
    'HTTP/0.9 ',
    'http/1.1 ',
    'RTSP/1.0 ',
    'ICE/1.0 ',
    '200 OK\r\n',
    '099 X\r\n',
    '100 X\r\n',
    '600 X\r\n',
  ],
  ...[
    'Content-Length: 0\r\n',
    'Content-Length: 3\r\n',
    'Content-Length:\r\n',
    'Content-Length: 3 \t\r\n',
    'Content-Length: 1,1\r\n',
    'Content-Length: -1\r\n',
  ],
  ...[
    'Content-Length: 18446744073709551616\r\n',
    'Content-Length : 3\r\n',
    'Content-Length: 0x3\r\n',
    'Content-Length: +3\r\n',
    'Content-Lengt: 3\r\n',
  ],
  ...[
    'Transfer-Encoding: chunked\r\n',
    'Transfer-Encoding: chunked \r\n',
    'Transfer-Encoding: CHUNKED\r\n',
    'Transfer-Encoding: x, chunked\r\n',
  ],
  ...['Transfer-Encoding: chunked, x\r\n', 'Transfer-Encoding:\r\n', 'Transfer-Encoding: xchunked\r\n', 'Transfer-Encoding: chunkedx\r\n'],
  ...[
    'Connection: close\r\n',
    'Connection: keep-alive\r\n',
    'Connection: keep-alive, close\r\n',
    'Connection: Close \r\n',
    'Connection: closed\r\n',
  ],
  ...[
    'Connection: upgrade\r\n',
    'Upgrade: x\r\n',
    'Proxy-Connection: close\r\n',
    'Keep-Alive: timeout=2\r\n',
    'Keep-Alive: timeout=3\r\n',
    'Keep-Alive: x, timeout=1\r\n',
  ],
  ...[
    ' folded\r\n',
    '\tfolded\r\n',
    'X: y\r\n',
    'X:\r\n',
    'X\r\n',
    ': y\r\n',
    'X : y\r\n',
    'Retry-After: 5\r\n',
    'Location: /a\r\n',
    '__proto__: x\r\n',
  ],
  ...[
    '\r\n\r\n',
    '0\r\n\r\n',
    '3\r\nabc\r\n',
    '0000\r\n',
    '3;x\r\n',
    '3;x=y\r\n',
    '3; x\r\n',
    '3 \r\n',
    ';',
    '0\r\nX: y\r\n\r\n',
    '0\r\nX y\r\n\r\n',
    '\r\n3\r\n',
  ],
  'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n',
  'HTTP/1.1 103 Early Hints\r\nConnection: close\r\n\r\n',
]

const at = (text: string, random: Random) => random.below(text.length + 1)

const MUTATIONS: readonly ((text: string, random: Random) => string)[] = [
  (text, random) => {
    const place = at(text, random)
    return text.slice(0, place) + random.pick(PIECES) + text.slice(place)
  },
  (text, random) => {
    const lines = text.split('\r\n')
    lines.splice(random.below(lines.length), 0, random.pick(PIECES).replace(/\r\n$/, ''))
    return lines.join('\r\n')
  },
  (text, random) => {
    const place = at(text, random)
    return text.slice(0, place) + text.slice(place + 1 + random.below(8))
  },
  (text, random) => {
    const place = random.below(text.length)
    return text.slice(0, place) + String.fromCharCode(random.below(256)) + text.slice(place + 1)
  },
  (text, random) => {
    const [one, other] = [at(text, random), at(text, random)].sort((a, b) => a - b) as [number, number]
    return text.slice(0, other) + text.slice(one)
  },
  (text, random) => {
    const lines = text.split('\r\n')
    lines.push(...lines.splice(random.below(lines.length), 1))
    return lines.join('\r\n')
  },
  (text, random) => text.slice(0, at(text, random)),
  (text, random) => text + random.pick(VALID),
  (text, random) => text + random.pick(PIECES),
]

function cut(bytes: Buffer, random: Random): Buffer[] {
  const way = random.below(16)
  if (way < 6) return [bytes]
  if (way === 6 && bytes.length < 400) return Array.from(bytes, (byte) => Buffer.of(byte))
  const places = Array.from({ length: 1 + random.below(4) }, () => random.below(bytes.length + 1)).sort((a, b) => a - b)
  return [...places, bytes.length].map((end, n) => bytes.subarray(n === 0 ? 0 : places[n - 1], end)).filter(({ length }) => length > 0)
}

/** A response that has been broken in up to three ways, cut into pieces. */
export function createFuzzCase(random: Random): FuzzCase {
  // The long ones are few: they take long.
  let text = VALID[random.below(random.below(200) === 0 ? VALID.length : VALID.length - 4)]!
  for (let times = random.below(4); times > 0; times--) text = random.pick(MUTATIONS)(text, random)
  return {
    pieces: cut(Buffer.from(text, 'latin1'), random),
    next: random.pick(['nothing', 'ends', 'resets', 'answers another request', 'answers another request']),
    reads: random.pick(['at once', 'at once', 'at once', 'at once', 'late', 'never']),
  }
}
