import assert from 'node:assert/strict'
import { pipeline, Readable } from 'node:stream'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { createClock } from '../../src/lib/clock.ts'
import { startCallback, startNameServer, startSocketServer } from '../stage/callback-servers.ts'
import { says, withBody } from '../stage/hostile-sockets.ts'
import { get, ofEachConnection, senderTo as senderToCallbacks } from '../stage/sending.ts'

ofEachConnection((senderTo) => {
  test('a request is sent byte for byte as given, without asking for a compressed response', async () => {
    await using callback = await startCallback((_request, response) => response.writeHead(200).end())
    await using sender = senderTo()
    const body = Buffer.from('{"a":"ü"}')
    const headers = ['content-type', 'application/json', 'x-service-webhooks-signature', 'sha256=abc=']
    await sender.send({ method: 'POST', to: `${callback.origin}/a%2Fb?x=1&y=%20`, headers, body, timeoutMs: 10_000 })
    const [request] = callback.requests
    assert.equal(request!.method, 'POST')
    assert.equal(request!.target, '/a%2Fb?x=1&y=%20')
    assert.deepEqual(request!.body, body)
    assert.deepEqual(request!.headers, {
      host: callback.origin.slice('http://'.length),
      connection: 'keep-alive',
      'content-type': 'application/json',
      'content-length': '10',
      'x-service-webhooks-signature': 'sha256=abc=',
    })
  })

  test('a response has its status, three of its headers, its body and the duration', async () => {
    await using callback = await startCallback((_request, response) =>
      response.writeHead(503, { 'content-type': 'text/plain', 'retry-after': '120', 'x-other': 'no' }).end('busy'),
    )
    await using sender = senderTo()
    const outcome = await sender.send(get(callback.origin))
    assert.ok(outcome.kind === 'answered')
    assert.ok(Number.isInteger(outcome.latencyMs) && outcome.latencyMs >= 0)
    assert.deepEqual(outcome, {
      kind: 'answered',
      status: 503,
      headers: { 'content-type': 'text/plain', 'retry-after': '120' },
      body: Buffer.from('busy'),
      truncated: false,
      latencyMs: outcome.latencyMs,
      timing: outcome.timing,
      peer: callback.origin.slice('http://'.length),
      restricted: false,
    })
  })

  test('a redirect is a response and is not followed', async () => {
    await using elsewhere = await startCallback((_request, response) => response.end())
    await using callback = await startCallback((_request, response) => response.writeHead(307, { location: elsewhere.origin }).end())
    await using sender = senderTo()
    const outcome = await sender.send(get(callback.origin))
    assert.ok(outcome.kind === 'answered')
    assert.equal(outcome.status, 307)
    assert.equal(outcome.headers.location, elsewhere.origin)
    assert.equal(elsewhere.connections(), 0)
  })

  test('an interim response is skipped', async () => {
    await using callback = await startCallback((_request, response) => {
      response.writeEarlyHints({ link: '</style.css>; rel=preload' })
      response.end('final')
    })
    await using sender = senderTo()
    const outcome = await sender.send(get(callback.origin))
    assert.ok(outcome.kind === 'answered')
    assert.deepEqual([outcome.status, outcome.body.toString()], [200, 'final'])
  })

  test('a compressed response is not decompressed', async () => {
    const zipped = gzipSync('{"response_token":"x"}')
    await using callback = await startCallback((_request, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(zipped))
    await using sender = senderTo()
    const outcome = await sender.send(get(callback.origin))
    assert.ok(outcome.kind === 'answered')
    assert.deepEqual(outcome.body, zipped)
  })

  test('a response of 16 KB is read completely and its connection is kept', async () => {
    await using callback = await startCallback((_request, response) => response.end(Buffer.alloc(16 * 1024, 'a')))
    await using sender = senderTo()
    for (const _time of [1, 2]) {
      const outcome = await sender.send(get(callback.origin))
      assert.ok(outcome.kind === 'answered')
      assert.deepEqual([outcome.body.length, outcome.truncated], [16 * 1024, false])
    }
    assert.equal(callback.connections(), 1)
  })

  test('of an endless response 16 KB are read, its status counts, and the connection is closed', async () => {
    await using callback = await startCallback((_request, response) => {
      const endless = new Readable({ read: () => void endless.push(Buffer.alloc(64 * 1024, 'a')) })
      pipeline(endless, response, () => {})
    })
    await using sender = senderTo()
    const outcome = await sender.send(get(callback.origin))
    assert.ok(outcome.kind === 'answered')
    assert.deepEqual([outcome.status, outcome.body.length, outcome.truncated], [200, 16 * 1024, true])
    await callback.closed()
  })

  test('sequential requests share a connection; concurrent requests do not', async () => {
    await using callback = await startCallback((_request, response) => response.end('ok'))
    await using sender = senderTo()
    for (let n = 0; n < 20; n++) await sender.send(get(callback.origin))
    assert.equal(callback.connections(), 1)
    await Promise.all([1, 2, 3].map(() => sender.send(get(callback.origin))))
    assert.equal(callback.connections(), 3)
    for (let n = 0; n < 20; n++) await Promise.all([1, 2, 3].map(() => sender.send(get(callback.origin))))
    assert.equal(callback.connections(), 3)
  })

  test('a connection is not used for longer than five minutes', async () => {
    await using server = await startSocketServer(says(withBody(2)))
    const clock = createClock()
    await using sender = senderTo({ clock })
    const send = () => sender.send(get(`http://127.0.0.1:${server.port}/`))
    for (let used = 0; used < 10; used++) {
      await send()
      clock.advance(30_000)
    }
    assert.equal(server.connections(), 1)
    await send()
    assert.equal(server.connections(), 2)
    await server.closed(1)
  })

  test('beyond the limit, the connection that was idle longest is closed', async () => {
    const start = () => startCallback((_request, response) => response.end('ok'))
    await using first = await start()
    await using second = await start()
    await using third = await start()
    await using sender = senderTo({ maxIdleConnections: 2 })
    await sender.send(get(first.origin))
    await sender.send(get(second.origin))
    await sender.send(get(first.origin))
    await sender.send(get(third.origin))
    await second.closed()
    assert.deepEqual([first.open(), third.open()], [1, 1])
    await sender.send(get(first.origin))
    assert.equal(first.connections(), 1)
  })

  test('a callback that closes after each response is reached again', async () => {
    await using callback = await startCallback((_request, response) => response.writeHead(200, { connection: 'close' }).end('ok'))
    await using sender = senderTo()
    for (let n = 0; n < 5; n++) assert.equal((await sender.send(get(callback.origin))).kind, 'answered')
    assert.equal(callback.connections(), 5)
  })

  test('a request whose reused connection was closed by the other side is sent once more, on a new one', async () => {
    await using server = await startSocketServer((socket) => {
      let asked = 0
      socket.on('data', () => (asked++ === 0 ? socket.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n') : socket.destroy()))
    })
    await using sender = senderTo()
    for (let n = 0; n < 3; n++) assert.equal((await sender.send(get(`http://127.0.0.1:${server.port}/`))).kind, 'answered')
    assert.equal(server.connections(), 3)
  })

  test('a request that is lost on a new connection is not repeated', async () => {
    await using server = await startSocketServer((socket) => socket.on('data', () => socket.destroy()))
    await using sender = senderTo()
    const outcome = await sender.send(get(`http://127.0.0.1:${server.port}/`))
    assert.ok(outcome.kind === 'failed' && outcome.stage === 'connection_lost')
    assert.equal(server.connections(), 1)
  })

  test('a thousand requests do not set a timer each', async () => {
    const clock = createClock()
    let timers = 0
    const after: typeof clock.after = (delayMs, run) => {
      timers++
      return clock.after(delayMs, run)
    }
    await using callback = await startCallback((_request, response) => response.end('ok'))
    await using sender = senderTo({ clock: { ...clock, after } })
    for (let n = 0; n < 100; n++) await Promise.all(Array.from({ length: 10 }, () => sender.send(get(callback.origin))))
    assert.ok(timers <= 2, `${timers} timers`)
  })

  test('localhost is resolved without a name server', async () => {
    await using names = await startNameServer({})
    await using callback = await startCallback((_request, response) => response.end('ok'))
    await using sender = senderTo({ resolver: [names.address] })
    const outcome = await sender.send(get(`http://localhost:${callback.port}/`))
    assert.equal(outcome.kind, 'answered')
    assert.deepEqual(names.questions, [])
  })

  test('of several addresses of a name one that answers is enough', async () => {
    await using callback = await startCallback((_request, response) => response.end('ok'))
    await using names = await startNameServer({ 'two.test': ['127.0.0.2', '127.0.0.1'] })
    await using sender = senderTo({ resolver: [names.address] })
    assert.equal((await sender.send(get(`http://two.test:${callback.port}/`))).kind, 'answered')
  })

  test('a name is resolved again only after its TTL, at most a minute', async () => {
    await using callback = await startCallback((_request, response) => response.writeHead(200, { connection: 'close' }).end())
    await using names = await startNameServer({ 'kept.test': ['127.0.0.1'] }, 3600)
    const clock = createClock()
    await using sender = senderTo({ clock, resolver: [names.address] })
    const questions = async () => {
      assert.equal((await sender.send(get(`http://kept.test:${callback.port}/`))).kind, 'answered')
      return names.questions.length
    }
    const first = await questions()
    clock.advance(59_000)
    assert.equal(await questions(), first)
    clock.advance(1_000)
    assert.equal(await questions(), 2 * first)
  })

  test('closing ends requests in flight and rejects later ones, as outcomes', async () => {
    await using callback = await startCallback(() => {})
    const sender = senderTo()
    const inFlight = sender.send(get(callback.origin))
    await callback.received(1)
    await sender.close()
    for (const outcome of [await inFlight, await sender.send(get(callback.origin))]) {
      assert.ok(outcome.kind === 'failed' && outcome.stage === 'shutting_down')
    }
    await callback.closed()
  })
})

/** After how many seconds a connection is closed that the server keeps for so many seconds, if it says so. */
const IDLE: Record<string, [says: string, closedAfterMs: number]> = {
  '45 seconds, if the server says nothing': ['', 45_000],
  'two seconds less than the server says': ['keep-alive: timeout=20, max=100\r\n', 18_000],
  'at most 45 seconds': ['keep-alive: timeout=600\r\n', 45_000],
}

for (const [name, [header, ms]] of Object.entries(IDLE))
  test(`a connection may be idle for ${name}`, async () => {
    await using server = await startSocketServer(says(`HTTP/1.1 200 OK\r\n${header}content-length: 0\r\n\r\n`))
    const clock = createClock()
    await using sender = senderToCallbacks({ clock })
    const send = () => sender.send(get(`http://127.0.0.1:${server.port}/`))
    await send()
    // Real time goes on too.
    clock.advance(ms - 500)
    await send()
    assert.equal(server.connections(), 1)
    clock.advance(ms)
    await server.closed()
    await send()
    assert.equal(server.connections(), 2)
  })
