import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, before, test } from 'node:test'
import { type BareHost, openWith, startBareHost, untilClosed } from '../stage/hostile/bare-host.ts'
import { checkAnswer } from '../stage/hostile/check-answer.ts'
import { watchConnections } from '../stage/hostile/watch-connections.ts'

let host: BareHost
before(async () => {
  host = await startBareHost()
})
after(() => host[Symbol.asyncDispose]())

/** Sends bytes, half-closes once something came back, and answers all that came; every answer must be in the dress of the house. */
async function ask(bytes: string, { isCut = false } = {}) {
  const socket = openWith(host.origin, bytes)
  if (isCut) socket.end()
  else socket.once('data', () => socket.end())
  const answers = await untilClosed(socket)
  for (const answer of answers) checkAnswer(answer, false)
  return answers.map(({ status, body, headers }) => ({ status, headers, body: JSON.parse(body.toString()) }))
}

const HOST = 'Host: a\r\n'
const post = (lines: string, body = '') => `POST /2/echo HTTP/1.1\r\n${HOST}${lines}\r\n${body}`
const CHUNKED = '2\r\n{}\r\n0\r\n\r\n'

/** What comes back: the statuses, and the message of the last. */
const shapes: [what: string, bytes: string, statuses: number[], says?: RegExp][] = [
  ['what is not HTTP', 'NONSENSE\r\n\r\n', [400], /not valid HTTP/],
  ['TLS on a plain port', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', [400], /not valid HTTP/],
  ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', [400], /not valid HTTP/],
  ['an unknown verb', `FOO /2/echo HTTP/1.1\r\n${HOST}\r\n`, [400], /method/],
  ['headers over 16 KB', `GET /2/echo HTTP/1.1\r\n${HOST}X: ${'a'.repeat(17_000)}\r\n\r\n`, [431], /16384 bytes/],
  ['2,500 headers', `GET /2/echo HTTP/1.1\r\n${HOST}${'x: yyyyy\r\n'.repeat(2500)}\r\n`, [431], /16384 bytes/],
  ['a target over 16 KB', `GET /2/echo?${'a'.repeat(17_000)} HTTP/1.1\r\n${HOST}\r\n`, [431], /16384 bytes/],
  [
    'Content-Length with Transfer-Encoding',
    post('Content-Length: 5\r\nTransfer-Encoding: chunked\r\n', CHUNKED),
    [400],
    /Transfer-Encoding/,
  ],
  ['Transfer-Encoding with Content-Length', post('Transfer-Encoding: chunked\r\nContent-Length: 5\r\n', CHUNKED), [400], /Content-Length/],
  ['two Content-Lengths', post('Content-Length: 2\r\nContent-Length: 3\r\n', '{}'), [400], /Content-Length/],
  ['the same Content-Length twice', post('Content-Length: 2\r\nContent-Length: 2\r\n', '{}'), [400], /Content-Length/],
  ['a negative Content-Length', post('Content-Length: -2\r\n', '{}'), [400], /Content-Length/],
  ['a Content-Length beyond 2^64', post('Content-Length: 99999999999999999999999\r\n', '{}'), [400], /Content-Length/],
  ['a transfer coding that is not chunked', post('Transfer-Encoding: gzip\r\n', CHUNKED), [400], /Transfer-Encoding/],
  ['a transfer coding under chunked', post('Transfer-Encoding: gzip, chunked\r\n', CHUNKED), [400], /Transfer-Encoding/],
  ['a transfer coding over chunked', post('Transfer-Encoding: chunked, identity\r\n', CHUNKED), [400], /Transfer-Encoding/],
  ['chunked twice', post('Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n', CHUNKED), [400], /Transfer-Encoding/],
  [
    'chunks of HTTP/1.0',
    `POST /2/echo HTTP/1.0\r\n${HOST}Connection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n${CHUNKED}`,
    [400],
    /HTTP\/1\.0 has no Transfer-Encoding/,
  ],
  ['a chunk whose size is no number', post('Transfer-Encoding: chunked\r\n', 'zz\r\n{}\r\n0\r\n\r\n'), [400], /chunk/],
  ['a content coding', post('Content-Encoding: gzip\r\nContent-Length: 2\r\n', '{}'), [400], /Content-Encoding/],
  ['white space before a colon', `GET /2/echo HTTP/1.1\r\nHost : a\r\n\r\n`, [400], /not valid HTTP/],
  ['a folded header', `GET /2/echo HTTP/1.1\r\n${HOST}X: a\r\n b\r\n\r\n`, [400], /not valid HTTP/],
  ['bare line feeds', 'GET /2/echo HTTP/1.1\nHost: a\n\n', [400], /not valid HTTP/],
  ['a line feed in a header', `GET /2/echo HTTP/1.1\r\n${HOST}X: a\nY: b\r\n\r\n`, [400], /not valid HTTP/],
  ['U+0000 in a header', `GET /2/echo HTTP/1.1\r\n${HOST}X: a\0b\r\n\r\n`, [400], /not valid HTTP/],
  ['raw bytes in a target', `GET /2/echo?q=\xc3\xa9 HTTP/1.1\r\n${HOST}\r\n`, [400], /not valid HTTP/],
  ['no Host', 'GET /2/echo HTTP/1.1\r\n\r\n', [400], /Host/],
  ['two Hosts', `GET /2/echo HTTP/1.1\r\n${HOST}HOST: b\r\n\r\n`, [400], /Host/],
  ['CONNECT', `CONNECT elsewhere:443 HTTP/1.1\r\n${HOST}\r\n`, [400], /CONNECT/],
  ['an expectation that nobody knows', post('Expect: tea\r\nContent-Length: 2\r\n', '{}'), [417], /100-continue/],
  ['a body over its limit', post('Content-Length: 2000\r\n', 'x'.repeat(2000)), [413], /1024 bytes/],
  ['chunks over the limit', post('Transfer-Encoding: chunked\r\n', `7d0\r\n${'x'.repeat(2000)}\r\n0\r\n\r\n`), [413], /1024 bytes/],
  ['a media type that is none', post('Content-Type: \xff\r\nContent-Length: 2\r\n', '{}'), [400], /media type/],
  ['a media type without a subtype', post('Content-Type: json\r\nContent-Length: 2\r\n', '{}'), [400], /media type/],
  ['an empty media type of no body', post('Content-Type:\r\nContent-Length: 0\r\n'), [400], /media type/],
  ['an origin that is none', `GET http://a:99999/2/echo HTTP/1.1\r\n${HOST}\r\n`, [400], /percent-encoded/],
  ['an origin without a name', `GET http:///2/echo HTTP/1.1\r\n${HOST}\r\n`, [400], /percent-encoded/],
  ['a fragment after an origin', `GET http://a/2/echo#x HTTP/1.1\r\n${HOST}\r\n`, [400], /percent-encoded/],
  ['a target of an asterisk', `OPTIONS * HTTP/1.1\r\n${HOST}\r\n`, [404], /No endpoint has this path/],
  ['a path with a broken escape', `GET /2/%zz HTTP/1.1\r\n${HOST}\r\n`, [400], /percent-encoded/],
  ['a path of two slashes', `GET //2/echo HTTP/1.1\r\n${HOST}\r\n`, [404], /No endpoint has this path/],
  ['Expect: 100-continue', post('Expect: 100-continue\r\nContent-Length: 2\r\n', '{}'), [200]],
  ['an upgrade that nobody offers', `GET /2/echo HTTP/1.1\r\n${HOST}Connection: upgrade\r\nUpgrade: websocket\r\n\r\n`, [200]],
  ['a long Host', `GET /2/echo HTTP/1.1\r\nHost: ${'a'.repeat(268)}\r\n\r\n`, [400], /host has more than 267/],
  ['a long Origin', `GET /2/echo HTTP/1.1\r\n${HOST}Origin: https://${'a'.repeat(260)}\r\n\r\n`, [400], /origin has more than 267/],
  ['a long Host that may be', `GET /2/echo HTTP/1.1\r\nHost: ${'a'.repeat(259)}\r\n\r\n`, [200]],
  ['a target with a long host', `GET http://${'a'.repeat(260)}/2/echo HTTP/1.1\r\n${HOST}\r\n`, [400], /path/],
  ['a target with a long host that may be', `GET http://${'a'.repeat(259)}/2/echo HTTP/1.1\r\n${HOST}\r\n`, [200]],
  ['a target in absolute form', `GET http://elsewhere.example/2/echo?a=1 HTTP/1.1\r\n${HOST}\r\n`, [200]],
  ['a media type with a parameter that is none', post('Content-Type: text/plain ; x\r\nContent-Length: 2\r\n', '{}'), [200]],
  ['a broken escape in a query or a fragment', `GET /2/echo?%zz#%zz HTTP/1.1\r\n${HOST}\r\n`, [200]],
  ['HTTP/1.0 without a Host', 'GET /2/echo HTTP/1.0\r\n\r\n', [200]],
  ['empty lines before a request', `\r\n\r\nGET /2/echo HTTP/1.1\r\n${HOST}\r\n`, [200]],
  ['a request and then garbage', `GET /2/echo HTTP/1.1\r\n${HOST}\r\nGARBAGE\r\n\r\n`, [200, 400], /not valid HTTP/],
  [
    'a request and then one with a broken body',
    `GET /2/echo HTTP/1.1\r\n${HOST}\r\n${post('Transfer-Encoding: chunked\r\n', 'zz\r\n')}`,
    [200, 400],
    /not valid HTTP/,
  ],
  ['more body than was said', post('Content-Length: 2\r\n', '{}{}'), [200, 400], /not valid HTTP/],
]

for (const [what, bytes, statuses, says = /./] of shapes)
  test(`${what}: ${statuses.join(', then ')}`, async () => {
    const answers = await ask(bytes)
    assert.deepEqual(
      answers.map(({ status }) => status),
      statuses,
    )
    assert.match(JSON.stringify(answers.at(-1)!.body), says)
  })

test('a truncated request is answered with 400 once its sender has ended, and reaches no route', async () => {
  const before = host.served()
  for (const bytes of [
    'GET /2/ec',
    `GET /2/echo HTTP/1.1\r\n${HOST}X`,
    post('Content-Length: 5\r\n', '{}'),
    post('Transfer-Encoding: chunked\r\n', '5\r\n{}'),
  ]) {
    const answers = await ask(bytes, { isCut: true })
    assert.deepEqual(
      answers.map(({ status }) => status),
      [400],
      bytes,
    )
  }
  assert.equal(host.served(), before)
})

test('an error before the end of the request is known is the last response of its connection, and says so', async () => {
  for (const target of ['/2/%zz', '/2/echo']) {
    const answers = await ask(`GET ${target} HTTP/1.1\r\n${HOST}Transfer-Encoding: gzip\r\n\r\n`)
    assert.deepEqual(
      answers.map(({ status, headers }) => [status, headers.connection]),
      [[400, 'close']],
      target,
    )
  }
})

test('an error on a sign-in path has a numeric code, whatever the form of its target', async () => {
  for (const target of ['/oauth/%zz', '/1.1/none.json', 'http://elsewhere.example/1.1/none.json']) {
    const [answer] = await ask(`GET ${target} HTTP/1.1\r\n${HOST}\r\n`)
    assert.ok(Number.isInteger(answer!.body.errors[0].code), target)
  }
})

test('every HTTP method reaches an existing path, and none is taken for another', async () => {
  for (const verb of ['PROPFIND', 'QUERY', 'TRACE', 'LINK', 'PURGE', 'OPTIONS', 'DELETE']) {
    const [answer] = await ask(`${verb} /2/echo/ HTTP/1.1\r\n${HOST}\r\n`)
    assert.deepEqual([answer!.status, answer!.body.method], [200, verb])
  }
})

test('the body of a method that has none is passed over, whatever its type, and the next request is answered', async () => {
  for (const verb of ['GET', 'QUERY', 'TRACE', 'PROPFIND']) {
    const answers = await ask(
      `${verb} /2/echo HTTP/1.1\r\n${HOST}Content-Type: json\r\nContent-Length: 2\r\n\r\n{}GET / HTTP/1.1\r\n${HOST}\r\n`,
    )
    assert.deepEqual([answers[0]!.body.body, answers.map(({ status }) => status)], [null, [200, 404]], verb)
  }
})

test('pipelined requests are answered in order', async () => {
  const answers = await ask(Array.from({ length: 50 }, (_, place) => `GET /2/echo?${place} HTTP/1.1\r\n${HOST}\r\n`).join(''))
  assert.deepEqual(
    answers.map(({ body }) => body.target),
    Array.from({ length: 50 }, (_, place) => `/2/echo?${place}`),
  )
})

test('what is pipelined behind the last answer of a connection is not served', async () => {
  const lasts: [bytes: string, status: number][] = [
    [`GET /2/echo HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`, 200],
    [`GET /2/echo HTTP/1.1\r\n${HOST}Content-Encoding: gzip\r\n\r\n`, 400],
    [post('Expect: tea\r\nContent-Length: 2\r\n', '{}'), 417],
    [post('Content-Length: 2000\r\n', 'x'.repeat(2000)), 413],
  ]
  for (const [bytes, status] of lasts) {
    const before = host.served()
    const answers = await ask(bytes + post('Content-Length: 2\r\n', '{}'))
    assert.deepEqual(
      answers.map((answer) => [answer.status, answer.headers.connection?.toLowerCase()]),
      [[status, 'close']],
    )
    assert.equal(host.served() - before, status === 200 ? 1 : 0, `behind ${status}`)
  }
})

test('a client that is refused CONNECT and resets its connection ends nothing else', async () => {
  using connections = watchConnections()
  const client = openWith(host.origin, `CONNECT elsewhere:443 HTTP/1.1\r\n${HOST}\r\n`)
  const served = await connections.first
  await once(client, 'data')
  client.resetAndDestroy()
  if (!served.closed) await new Promise((resolve) => served.once('close', resolve))
  assert.deepEqual(
    (await ask(`GET /2/echo HTTP/1.1\r\n${HOST}\r\n`)).map(({ status }) => status),
    [200],
  )
})

test('CONNECT behind a request whose answer is owed closes the connection, and is not taken for that answer', async () => {
  await using slow = await startBareHost({}, new Promise(() => {}))
  const bytes = `GET /2/held HTTP/1.1\r\n${HOST}\r\nCONNECT elsewhere:443 HTTP/1.1\r\n${HOST}\r\n`
  assert.deepEqual(await untilClosed(openWith(slow.origin, bytes)), [])
})
