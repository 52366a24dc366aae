import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import type { Stage } from '../../src/delivery/send/outcome.ts'
import type { Outcome } from '../../src/delivery/send/sender.ts'
import { type Clock, createClock } from '../../src/lib/clock.ts'
import { type Answering, startCallback, startSocketServer } from '../stage/callback-servers.ts'
import { watchClientSockets } from '../stage/client-sockets.ts'
import { ends, floods, type Hostility, resets, says, withBody } from '../stage/hostile-sockets.ts'
import { failed, get, ofEachConnection, post, soFar, soon, TIMEOUT_MS, turn } from '../stage/sending.ts'

const KB = 1024
/** What is read of an answer, and what the operating system hands over at once besides. */
const MOST_BYTES_TAKEN = 256 * KB

const HEAD = 'HTTP/1.1 200 OK\r\n'
const CHUNKED = `${HEAD}transfer-encoding: chunked\r\n\r\n`

type Ending = [stage: Stage, message: RegExp] | [status: number, connection: 'kept' | 'closed', bodyBytes: number, truncated?: 'truncated']

const answerOk: Answering = (_request, response) => void response.end('ok')

function endedAs(outcome: Outcome, [what, detail, bodyBytes, truncated]: Ending) {
  if (typeof what === 'string') return failed(outcome, what, detail as RegExp)
  assert.ok(outcome.kind === 'answered', JSON.stringify(outcome))
  assert.deepEqual([outcome.status, outcome.body.length, outcome.truncated], [what, bodyBytes, truncated !== undefined])
}

/** undici's reason may be another one. */
const improper = (...reasons: string[]): Ending => [
  'protocol',
  new RegExp(`^the response from 127\\.0\\.0\\.1:\\d+ is not valid HTTP/1\\.1: (?:${reasons.join('|')})$`),
]
const TOO_LONG: Ending = ['protocol', /^the headers of the response from 127\.0\.0\.1:\d+ are longer than 16 KB$/]
/** undici refuses the first of them. */
const TOO_LONG_OR_REFUSED: Ending = ['protocol', /are longer than 16 KB$|it begins with 100 Continue, which was not asked for$/]
const LOST_BEFORE: Ending = ['connection_lost', /^the connection was closed by 127\.0\.0\.1:\d+ before an answer came$/]
const LOST_WITHIN: Ending = ['connection_lost', /^the connection was closed by 127\.0\.0\.1:\d+ in the middle of the answer$/]
const NO_HTTP = improper('it does not begin with HTTP/')
const badLength = (reason: string) => improper(reason, 'its Content-Length, or a header after it, is malformed')
const cutOff = (bodyBytes = 16 * KB): Ending => [200, 'closed', bodyBytes, 'truncated']
const withHeaders = (lines: string, body = '') => `${HEAD}${lines}\r\n\r\n${body}`
const withStatus = (line: string, body = '') => `${line}\r\ncontent-length: ${body.length}\r\n\r\n${body}`
const gzipBomb = gzipSync(Buffer.alloc(10 * KB * KB)).toString('latin1')

const ENDLESS: Record<string, [Hostility, Ending]> = {
  'a reason without end': [floods('HTTP/1.1 200 ', 'a'), TOO_LONG],
  'line breaks before an answer': [floods('', '\r\n'), TOO_LONG],
  'one header name': [floods(HEAD, 'a'), TOO_LONG],
  'one header value': [floods(`${HEAD}a: `, 'a'), TOO_LONG],
  'blanks before a header value': [floods(`${HEAD}a:`, ' '), TOO_LONG],
  'headers without values': [floods(HEAD, 'a:\r\n'), TOO_LONG],
  headers: [floods(HEAD, 'a: b\r\n'), TOO_LONG],
  '102 Processing': [floods('', 'HTTP/1.1 102 Processing\r\n\r\n'), TOO_LONG],
  '103 Early Hints': [floods('', 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'), TOO_LONG],
  '100 Continue': [floods('', 'HTTP/1.1 100 Continue\r\n\r\n'), TOO_LONG_OR_REFUSED],
  'a body that has a length': [floods(`${HEAD}content-length: 99999999999\r\n\r\n`, 'a'), cutOff()],
  'a body that has none': [floods(`${HEAD}\r\n`, 'a'), cutOff()],
  chunks: [floods(CHUNKED, `400\r\n${'a'.repeat(KB)}\r\n`), cutOff()],
  'a chunk': [floods(`${CHUNKED}ffffffffff\r\n`, 'a'), cutOff()],
  'a chunk extension': [floods(`${CHUNKED}1;`, 'a'), cutOff(0)],
  'zeros before the size of a chunk': [floods(CHUNKED, '0'), cutOff(0)],
  trailers: [floods(`${CHUNKED}0\r\n`, 'a: b\r\n'), cutOff(0)],
}

const ANSWERS: Record<string, [Hostility, Ending]> = {
  'a body of 16 KB': [says(withBody(16 * KB)), [200, 'kept', 16 * KB]],
  'a body of 16 KB and a byte': [says(withBody(16 * KB + 1)), cutOff()],
  'a body of 16 KB in small chunks': [says(`${CHUNKED}${`40\r\n${'a'.repeat(64)}\r\n`.repeat(256)}0\r\n\r\n`), [200, 'kept', 16 * KB]],
  'a gzip bomb': [
    says(withHeaders(`content-encoding: gzip\r\ncontent-length: ${gzipBomb.length}`, gzipBomb)),
    [200, 'kept', gzipBomb.length],
  ],
  'HTTP/1.0': [says('HTTP/1.0 200 OK\r\ncontent-length: 2\r\n\r\nok'), [200, 'closed', 2]],
  'HTTP/1.0 that is kept': [says('HTTP/1.0 200 OK\r\nconnection: keep-alive\r\ncontent-length: 2\r\n\r\nok'), [200, 'kept', 2]],
  'HTTP/1.0 without a length': [says('HTTP/1.0 200 OK\r\n\r\nok', ends), [200, 'closed', 2]],
  'HTTP/0.9': [says('<html>ok</html>', ends), NO_HTTP],
  'an HTTP/2 preface': [says('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), NO_HTTP],
  'HTTP/2 frames': [says('\0\0\x12\x04\0\0\0\0\0\0\x03\0\0\0\x64\0\x04\0\xff\xff\xff\0\x06\0\0\x40\0'), NO_HTTP],
  'HTTP/3.7': [says(withStatus('HTTP/3.7 200 OK')), improper('Invalid HTTP version')],
  'an SSH banner': [says('SSH-2.0-OpenSSH_9.9\r\n'), NO_HTTP],
  'an SMTP banner': [says('220 mail.example.com ESMTP\r\n'), NO_HTTP],
  'a TLS alert': [says('\x15\x03\x03\0\x02\x02\x28', ends), NO_HTTP],
  'a status line in lower case': [says(withStatus('http/1.1 200 ok')), NO_HTTP],
  'lines that end with LF alone': [says('HTTP/1.1 200 OK\ncontent-length: 0\n\n'), improper('Missing expected CR after response line')],
  'a header that ends with CR alone': [says(withHeaders('a: b\rcontent-length: 0')), improper('Missing expected LF after header value')],
  'a folded header': [says(withHeaders('a: b\r\n c\r\ncontent-length: 0')), improper('Unexpected whitespace after header value')],
  'NUL in a header': [says(withHeaders('a: b\0c\r\ncontent-length: 0')), improper('Invalid header value char')],
  'a header without a name': [says(withHeaders(': b\r\ncontent-length: 0')), improper('Invalid header token')],
  'headers named like members of every object': [
    says(withHeaders('__proto__: a\r\n__proto__: b\r\nconstructor: c\r\ncontent-length: 0')),
    [200, 'kept', 0],
  ],
  'content-length twice': [says(withHeaders('content-length: 0\r\ncontent-length: 5', 'hello')), improper('Duplicate Content-Length')],
  'content-length as a list': [says(withHeaders('content-length: 5, 5', 'hello')), badLength('Invalid character in Content-Length')],
  'a negative content-length': [says(withHeaders('content-length: -5', 'hello')), improper('Invalid character in Content-Length')],
  'a content-length beyond numbers': [
    says(withHeaders(`content-length: ${'9'.repeat(30)}`, 'hello')),
    badLength('Content-Length overflow'),
  ],
  'content-length, then transfer-encoding': [
    says(withHeaders('content-length: 5\r\ntransfer-encoding: chunked', '0\r\n\r\n')),
    badLength("Transfer-Encoding can't be present with Content-Length"),
  ],
  'transfer-encoding, then content-length': [
    says(withHeaders('transfer-encoding: chunked\r\ncontent-length: 5', '0\r\n\r\n')),
    improper("Content-Length can't be present with Transfer-Encoding"),
  ],
  'an unknown transfer-encoding': [says(withHeaders('transfer-encoding: smoke', 'hello'), ends), [200, 'closed', 5]],
  'a chunk size that is none': [says(`${CHUNKED}zz\r\n`), improper('Invalid character in chunk size')],
  'a chunk size beyond numbers': [says(`${CHUNKED}${'f'.repeat(20)}\r\n`), improper('Chunk size overflow')],
  'status 000': [says(withStatus('HTTP/1.1 000 None')), improper('its status is not that of an answer')],
  'status 99': [says(withStatus('HTTP/1.1 99 None')), improper('Invalid status code')],
  'status 101': [
    says('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n'),
    improper('it switches protocols, which was not asked for'),
  ],
  'status 101 without an upgrade': [
    says('HTTP/1.1 101 Switching Protocols\r\n\r\n'),
    improper('it switches protocols, which was not asked for', 'its status is not that of an answer'),
  ],
  'status 600': [says(withStatus('HTTP/1.1 600 Odd')), [600, 'kept', 0]],
  'status 1000': [says(withStatus('HTTP/1.1 1000 Odd')), improper('Invalid response status')],
  '204 with a body': [says(withStatus('HTTP/1.1 204 No Content', 'hello')), [204, 'closed', 0]],
  '204 with a body that is not announced': [says('HTTP/1.1 204 No Content\r\n\r\nhello'), [204, 'closed', 0]],
  '304 with a body': [says(withStatus('HTTP/1.1 304 Not Modified', 'hello')), [304, 'closed', 0]],
  'a length without the body, as to HEAD': [says(withHeaders('content-length: 5'), ends), LOST_WITHIN],
  'nothing, and closes': [says('', ends), LOST_BEFORE],
  'nothing, and resets': [says('', resets), LOST_BEFORE],
  'half a status line, and closes': [says('HTTP/1.1 20', ends), LOST_BEFORE],
  'half the headers, and closes': [says(`${HEAD}content-length: 5\r\nx-ha`, ends), LOST_BEFORE],
  'half a body, and resets': [says(withHeaders('content-length: 100', 'half'), resets), LOST_WITHIN],
  'half a body on a last connection, and closes': [
    says(withHeaders('connection: close\r\ncontent-length: 100', 'half'), ends),
    LOST_WITHIN,
  ],
  'half the chunks on a last connection, and closes': [
    says(`${HEAD}connection: close\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n`, ends),
    LOST_WITHIN,
  ],
  'connection: close, and leaves it open': [says(withHeaders('connection: close\r\ncontent-length: 2', 'ok')), [200, 'closed', 2]],
  ...Object.fromEntries(
    Object.entries({ '0': 'closed', '1': 'closed', '-1': 'kept', '99999999999999999999': 'kept', banana: 'kept', '': 'kept' } as const).map(
      ([seconds, connection]) => [
        `keep-alive: timeout=${seconds}`,
        [says(withHeaders(`keep-alive: timeout=${seconds}\r\ncontent-length: 2`, 'ok')), [200, connection, 2]] as [Hostility, Ending],
      ],
    ),
  ),
}

/** What is sent at once, and what is sent of the rest each second. */
const DRIPS: Record<string, [beginning: string, each: (second: number) => string, doing: string]> = {
  'the status line': ['', (second) => 'HTTP/1.1 200 OK'[second]!, "waiting for the answer's headers from"],
  'the headers': [`${HEAD}x`, () => '-', "waiting for the answer's headers from"],
  'interim answers': ['', () => 'HTTP/1.1 103 Early Hints\r\n\r\n', "waiting for the answer's headers from"],
  'the body': [withHeaders('content-length: 100'), () => 'a', "reading the answer's body from"],
  'a body without a length': [`${HEAD}\r\n`, () => 'a', "reading the answer's body from"],
  chunks: [CHUNKED, () => '1\r\na\r\n', "reading the answer's body from"],
  trailers: [`${CHUNKED}0\r\nx`, () => '-', "reading the answer's body from"],
}

ofEachConnection((senderTo) => {
  /** Sends to a server that behaves so; then nothing of it is left, and the sender sends on. */
  async function outlived(does: Hostility, ending: Ending) {
    await using healthy = await startCallback(answerOk)
    await using hostile = await startSocketServer(does)
    await using sender = senderTo()
    using reading = watchClientSockets()
    const send = () => sender.send(post(`http://127.0.0.1:${hostile.port}/`))
    endedAs(await send(), ending)
    if (ending[1] === 'kept') endedAs(await send(), ending)
    else await hostile.closed()
    assert.ok(
      reading.bytesRead().every((bytes) => bytes <= MOST_BYTES_TAKEN),
      `${reading.bytesRead()}`,
    )
    assert.equal(hostile.connections(), 1)
    assert.equal((await sender.send(get(healthy.origin))).kind, 'answered')
  }

  describe('of an endless response little is read, and the connection is closed:', () => {
    for (const [name, [does, ending]] of Object.entries(ENDLESS)) test(name, () => outlived(does, ending))
  })

  describe('an invalid response fails with the right message, and the sender goes on:', () => {
    for (const [name, [does, ending]] of Object.entries(ANSWERS)) test(name, () => outlived(does, ending))
  })

  describe('bytes that arrive one by one do not extend the deadline:', () => {
    for (const [name, [beginning, each, doing]] of Object.entries(DRIPS))
      test(name, async () => {
        const clock = createClock()
        let drip: Socket | undefined
        await using server = await startSocketServer((socket) => {
          drip = socket
          says(beginning)(socket)
        })
        await using sender = senderTo({ clock })
        using reading = watchClientSockets()
        const sending = sender.send({ ...post(`http://127.0.0.1:${server.port}/`), timeoutMs: 2 * TIMEOUT_MS })
        for (let sent = beginning, second = 0; second < 9; second++) {
          await soon(() => drip !== undefined && reading.bytesRead()[0] === sent.length)
          clock.advance(1000)
          assert.equal(await soFar(sending), undefined)
          drip!.write(each(second))
          sent += each(second)
        }
        clock.advance(11_000)
        failed(await sending, 'timeout', new RegExp(`^timed out after 20000 ms while ${doing} 127\\.0\\.0\\.1:\\d+$`))
        await server.closed()
      })
  })

  test('a callback that accepts and does not read is reported as such at the deadline', async () => {
    const clock = createClock()
    await using server = await startSocketServer((socket) => void socket.pause())
    await using sender = senderTo({ clock })
    using client = watchClientSockets()
    const sending = sender.send(post(`http://127.0.0.1:${server.port}/`, Buffer.alloc(16 * KB * KB)))
    await soon(() => client.sockets.some(({ writableLength }) => writableLength > 0))
    await turn()
    clock.advance(TIMEOUT_MS)
    failed(await sending, 'timeout', /timed out after \d+ ms while sending the request to 127\.0\.0\.1:\d+, which does not read it$/)
  })

  describe('a reused connection', () => {
    /** Answers with the path of the request, so that it can be told whose answer it is. */
    const echo = (request: Buffer | string) => {
      const [, path = ''] = String(request).split(' ')
      return `${HEAD}content-length: ${path.length}\r\n\r\n${path}`
    }

    const POISONS: Record<string, string> = {
      'another answer': withBody(6),
      'half of another answer': 'HTTP/1.1 200 OK\r\ncontent-le',
      'an interim answer': 'HTTP/1.1 103 Early Hints\r\n\r\n',
      garbage: 'garbage',
      'more of a body': 'a'.repeat(64 * KB),
      'a line break': '\r\n',
      'another answer after blank lines': `${'\r\n'.repeat(20 * KB)}${withBody(6)}`,
    }

    for (const [name, poison] of Object.entries(POISONS)) {
      test(`is not used again if ${name} follows the response in one piece`, async () => {
        await using server = await startSocketServer((socket) => void socket.on('data', (request) => socket.write(echo(request) + poison)))
        await using sender = senderTo()
        for (let n = 0; n < 5; n++) {
          const outcome = await sender.send(post(`http://127.0.0.1:${server.port}/${n}`))
          assert.ok(outcome.kind === 'answered', JSON.stringify(outcome))
          assert.equal(outcome.body.toString(), `/${n}`)
        }
        await server.closed(poison === '\r\n' ? 1 : 0)
      })

      test(`is closed when ${name} comes while it is idle`, async () => {
        const sockets: Socket[] = []
        await using server = await startSocketServer((socket) => {
          sockets.push(socket)
          socket.on('data', (request) => socket.write(echo(request)))
        })
        await using sender = senderTo()
        assert.equal((await sender.send(post(`http://127.0.0.1:${server.port}/`))).kind, 'answered')
        sockets[0]!.write(poison)
        await server.closed()
        const outcome = await sender.send(post(`http://127.0.0.1:${server.port}/next`))
        assert.ok(outcome.kind === 'answered' && outcome.body.toString() === '/next', JSON.stringify(outcome))
      })
    }

    /** What a server does with its connection once it has answered on it. */
    const PARTINGS: Record<string, { afterwards: Hostility } | { whenAskedAgain: Hostility }> = {
      'closed right after the answer': { afterwards: ends },
      'reset right after the answer': { afterwards: resets },
      'closed under the next request': { whenAskedAgain: ends },
      'reset under the next request': { whenAskedAgain: resets },
    }

    for (const [name, parting] of Object.entries(PARTINGS)) {
      test(`that is ${name} loses no delivery`, async () => {
        await using server = await startSocketServer((socket) => {
          let asked = 0
          socket.on('data', (request) => {
            if (asked++ > 0) return 'whenAskedAgain' in parting ? parting.whenAskedAgain(socket) : undefined
            socket.write(echo(request), () => 'afterwards' in parting && parting.afterwards(socket))
          })
        })
        await using sender = senderTo()
        for (let n = 0; n < 10; n++) {
          const outcome = await sender.send(post(`http://127.0.0.1:${server.port}/${n}`))
          assert.ok(outcome.kind === 'answered' && outcome.body.toString() === `/${n}`, JSON.stringify(outcome))
        }
      })
    }

    /** A body longer than what the operating system takes before it is read. */
    const LONG = Buffer.from(`{"a":"${'a'.repeat(8 * KB * KB)}"}`)
    const isEnd = (piece: Buffer | string) => String(piece).endsWith('}')

    for (const [name, parting] of Object.entries({ closed: (socket: Socket): void => void socket.destroy(), reset: resets })) {
      test(`that is ${name} in the middle of the next request is replaced, and a new one is not`, async () => {
        let isSpoilt = false
        await using server = await startSocketServer((socket) => {
          let isUsed = false
          socket.on('data', (piece) => {
            if (isSpoilt || isUsed) return parting(socket)
            isUsed = isEnd(piece)
            if (isUsed) socket.write(withBody(2))
          })
        })
        await using sender = senderTo()
        const url = `http://127.0.0.1:${server.port}/`
        assert.equal((await sender.send(post(url))).kind, 'answered')
        assert.equal((await sender.send(post(url, LONG))).kind, 'answered')
        assert.equal(server.connections(), 2)
        isSpoilt = true
        const outcome = await sender.send(post(url, LONG))
        failed(outcome, 'connection_lost', /^the connection was closed by 127\.0\.0\.1:\d+ before an answer came$/)
        assert.equal(server.connections(), 3)
      })
    }

    test('is not kept if the response arrived before the request was complete', async () => {
      await using server = await startSocketServer((socket) => void socket.once('data', () => socket.pause().write(withBody(2))))
      await using sender = senderTo()
      for (let n = 1; n <= 3; n++) {
        const outcome = await sender.send(post(`http://127.0.0.1:${server.port}/`, LONG))
        assert.equal(outcome.kind, 'answered')
        assert.equal(server.connections(), n)
      }
    })
  })

  describe('of two hundred callbacks at the same time', () => {
    const COUNT = 200

    async function allAtOnce(
      does: Hostility,
      check: (outcome: Outcome) => void,
      meanwhile: (clock: Clock, bytesRead: () => number) => Promise<void>,
    ) {
      const clock = createClock()
      await using server = await startSocketServer(does)
      await using sender = senderTo({ clock })
      using reading = watchClientSockets()
      const sendings = Array.from({ length: COUNT }, () => sender.send(post(`http://127.0.0.1:${server.port}/`)))
      await meanwhile(clock, () => reading.bytesRead().reduce((sum, bytes) => sum + bytes, 0))
      for (const outcome of await Promise.all(sendings)) check(outcome)
      await server.closed()
      const most = Math.max(...reading.bytesRead())
      assert.ok(most <= MOST_BYTES_TAKEN, `${most} bytes were read from one of them`)
    }

    test('with endless bodies, little is read from each', () =>
      allAtOnce(
        floods(CHUNKED, `400\r\n${'a'.repeat(KB)}\r\n`),
        (outcome) => endedAs(outcome, cutOff()),
        async () => {},
      ))

    test('that stop within their responses, little memory is held until the deadline', () => {
      const piece = `1;${'x'.repeat(KB)}\r\na\r\n`
      const said = `${CHUNKED}${piece.repeat(20)}`
      return allAtOnce(
        says(said),
        (outcome) => failed(outcome, 'timeout', /reading the answer's body/),
        async (clock, bytesRead) => {
          await soon(() => bytesRead() === COUNT * said.length)
          clock.advance(TIMEOUT_MS)
        },
      )
    })
  })
})
