import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { describe, test } from 'node:test'
import { createClock } from '../../src/lib/clock.ts'
import { type Answering, startCallback, startNameServer, startSocketServer } from '../stage/callback-servers.ts'
import { certificateAuthority, selfSigned } from '../stage/certificates.ts'
import { failed, get, senderTo } from '../stage/sending.ts'

const answerOk: Answering = (_request, response) => void response.end('ok')

describe('a name', () => {
  test('that does not exist, has no address or cannot be resolved fails with the name in the message', async () => {
    await using names = await startNameServer({ 'bare.test': [], 'broken.test': 'failure' })
    await using sender = senderTo({ resolver: [names.address] })
    failed(await sender.send(get('https://none.test/')), 'name_not_resolved', /^the name none\.test does not exist/)
    failed(
      await sender.send(get('https://bare.test/')),
      'name_not_resolved',
      'the name bare.test has no address: it needs an A or AAAA record',
    )
    failed(await sender.send(get('https://broken.test/')), 'name_not_resolved', /^the name broken\.test could not be resolved: .*ESERVFAIL/)
  })

  test('with a public and a private address is refused, and nothing is connected', async () => {
    await using callback = await startCallback(answerOk)
    await using names = await startNameServer({
      'public.test': ['2606:4700:4700::1111', '127.0.0.1'],
      'mixed.test': ['127.0.0.1', '10.0.0.1'],
    })
    await using strict = senderTo({ allow: [], resolver: [names.address] })
    failed(
      await strict.send(get(`http://public.test:${callback.port}/`)),
      'address_not_allowed',
      /127\.0\.0\.1, which is a loopback address/,
    )
    await using sender = senderTo({ resolver: [names.address] })
    const outcome = await sender.send(get(`http://mixed.test:${callback.port}/`))
    failed(
      outcome,
      'address_not_allowed',
      'mixed.test resolves to 10.0.0.1, which is in a private network; callbacks reach only public addresses',
    )
    assert.equal(outcome.restricted, true)
    assert.equal(callback.connections(), 0)
  })

  test('that gets another address later is checked again for the next connection', async () => {
    await using callback = await startCallback(answerOk)
    const records = { 'rebound.test': ['127.0.0.1'] }
    await using names = await startNameServer(records)
    const clock = createClock()
    await using sender = senderTo({ clock, resolver: [names.address] })
    const send = () => sender.send(get(`http://rebound.test:${callback.port}/`))
    assert.equal((await send()).kind, 'answered')
    records['rebound.test'] = ['169.254.169.254']
    clock.advance(5 * 60_000)
    failed(await send(), 'address_not_allowed', /rebound\.test resolves to 169\.254\.169\.254, which is a cloud metadata address/)
  })
})

test("Postern's own listeners are refused as soon as they listen, and not before", async () => {
  await using callback = await startCallback(answerOk)
  const own: { address: string; port: number }[] = []
  await using sender = senderTo({ refuse: () => own })
  own.push({ address: '0.0.0.0', port: callback.port })
  failed(await sender.send(get(callback.origin)), 'address_not_allowed', /an address where Postern itself listens/)
  failed(
    await sender.send(get(`http://localhost:${callback.port}/`)),
    'address_not_allowed',
    /^localhost resolves to .* Postern itself listens/,
  )
  assert.equal(callback.connections(), 0)
  own.pop()
  assert.equal((await sender.send(get(callback.origin))).kind, 'answered')
})

test('a callback that only the allow list allows is marked as restricted, unless it is loopback', async () => {
  await using callback = await startCallback(answerOk)
  await using sender = senderTo({ allow: ['127.0.0.0/8', '::ffff:0:0/96'] })
  const mapped = await sender.send(get(`http://[::ffff:127.0.0.1]:${callback.port}/`))
  assert.deepEqual([mapped.kind, mapped.restricted], ['answered', true])
  assert.deepEqual([(await sender.send(get(callback.origin))).restricted], [false])
})

test('a refused connection is reported with its address', async () => {
  const gone = await startCallback(answerOk)
  await gone[Symbol.asyncDispose]()
  await using names = await startNameServer({ 'two.test': ['127.0.0.1', '127.0.0.2'] })
  await using sender = senderTo({ resolver: [names.address] })
  const { port } = gone
  failed(
    await sender.send(get(gone.origin)),
    'connection_refused',
    `the connection was refused by 127.0.0.1:${port}: nothing listens there`,
  )
  failed(
    await sender.send(get(`http://two.test:${port}/`)),
    'connection_refused',
    `the connection was refused by two.test (127.0.0.1:${port} and 127.0.0.2:${port}): nothing listens there`,
  )
})

describe('over https', () => {
  const TRUSTED = certificateAuthority('Trusted')
  const names = { 'good.test': ['127.0.0.1'], 'other.test': ['127.0.0.1'] }

  async function httpsTo(certificate: { cert: string; key: string }, host = 'good.test', more: object = {}) {
    await using server = await startNameServer(names)
    await using callback = await startCallback(answerOk, { ...certificate, ...more })
    await using sender = senderTo({ ca: (await TRUSTED).cert, resolver: [server.address] })
    const outcome = await sender.send(get(`https://${host}:${callback.port}/`))
    assert.equal(callback.requests.length, outcome.kind === 'answered' ? 1 : 0)
    return outcome
  }

  test('a certificate of an added authority is accepted, for a name and for an address', async () => {
    const issuer = await TRUSTED
    assert.equal((await httpsTo(await selfSigned({ hosts: ['good.test'], issuer }))).kind, 'answered')
    assert.equal((await httpsTo(await selfSigned({ hosts: ['127.0.0.1'], issuer }), '127.0.0.1')).kind, 'answered')
  })

  test('connections are kept', async () => {
    const certificate = await selfSigned({ issuer: await TRUSTED })
    await using callback = await startCallback(answerOk, certificate)
    await using sender = senderTo({ ca: (await TRUSTED).cert })
    for (let n = 0; n < 3; n++) assert.equal((await sender.send(get(callback.origin))).kind, 'answered')
    assert.equal(callback.connections(), 1)
  })

  test('a self-signed certificate is rejected', async () => {
    const outcome = await httpsTo(await selfSigned({ hosts: ['good.test'] }))
    failed(outcome, 'tls', 'the certificate of good.test is self-signed: use one of a public certificate authority')
  })

  test('an expired certificate is reported with its expiry, and an early one with its start', async () => {
    const issuer = await TRUSTED
    const old = { hosts: ['good.test'], issuer, from: new Date('2020-01-01T00:00:00Z'), until: new Date('2021-02-03T04:05:06Z') }
    failed(await httpsTo(await selfSigned(old)), 'tls', /^the certificate of good\.test or one of its chain expired at 2021-02-03T04:05:06/)
    const early = { hosts: ['good.test'], issuer, from: new Date('2120-01-01T00:00:00Z'), until: new Date('2121-01-01T00:00:00Z') }
    failed(await httpsTo(await selfSigned(early)), 'tls', /^the certificate of good\.test is valid only from 2120-01-01T00:00:00/)
  })

  test('a certificate for other hosts is reported with those hosts', async () => {
    const issuer = await TRUSTED
    const outcome = await httpsTo(await selfSigned({ hosts: ['good.test', '127.0.0.9'], issuer }), 'other.test')
    failed(outcome, 'tls', 'the certificate of other.test does not belong to other.test: it is for good.test, 127.0.0.9')
    failed(await httpsTo(await selfSigned({ hosts: ['good.test'], issuer }), '127.0.0.1'), 'tls', /127\.0\.0\.1: it is for good\.test$/)
  })

  test('a certificate of an unknown issuer is reported with the issuer', async () => {
    const certificate = await selfSigned({ hosts: ['good.test'], issuer: await certificateAuthority('Somebody') })
    failed(await httpsTo(certificate), 'tls', /^the certificate of good\.test comes from an unknown issuer \(Somebody\)/)
  })

  test('versions older than TLS 1.2 are rejected', async () => {
    const certificate = await selfSigned({ hosts: ['good.test'], issuer: await TRUSTED })
    const old = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' }
    failed(
      await httpsTo(certificate, 'good.test', old),
      'tls',
      /handshake with good\.test \(127\.0\.0\.1:\d+\) failed: it offers neither TLS 1\.2 nor TLS 1\.3$/,
    )
  })

  test('a server that does not speak TLS, or closes during the handshake, is reported as such', async () => {
    await using plain = await startCallback(answerOk)
    await using closing = await startSocketServer((socket) => socket.on('data', () => socket.end()))
    await using sender = senderTo()
    failed(await sender.send(get(`https://127.0.0.1:${plain.port}/`)), 'tls', /what answers there does not speak TLS$/)
    failed(await sender.send(get(`https://127.0.0.1:${closing.port}/`)), 'tls', /the connection was closed in the middle of it$/)
  })
})

describe('a response', () => {
  /** Answers every request with these bytes. */
  const saying = (text: string, then: (socket: Socket) => void = () => {}) =>
    startSocketServer((socket) =>
      socket.on('data', () => {
        socket.write(text, 'latin1')
        then(socket)
      }),
    )

  async function outcomeOf(text: string, then?: (socket: Socket) => void) {
    await using server = await saying(text, then)
    await using sender = senderTo()
    return await sender.send(get(`http://127.0.0.1:${server.port}/`))
  }

  const end = (socket: Socket) => void socket.end()

  test('that is not HTTP fails as protocol', async () => {
    failed(await outcomeOf('SSH-2.0-OpenSSH_9.9\r\n'), 'protocol', /^the response from 127\.0\.0\.1:\d+ is not valid HTTP\/1\.1/)
    failed(await outcomeOf('HTTP/1.1 200 OK\r\nbad header\r\n\r\n'), 'protocol', /is not valid HTTP\/1\.1/)
    failed(
      await outcomeOf('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'),
      'protocol',
      /it switches protocols/,
    )
  })

  test('with more than 16 KB of headers fails as protocol', async () => {
    const headers = Array.from({ length: 40 }, (_, n) => `x-${n}: ${'a'.repeat(1000)}\r\n`).join('')
    failed(await outcomeOf(`HTTP/1.1 200 OK\r\n${headers}\r\n`), 'protocol', /headers of the response from .* are longer than 16 KB$/)
  })

  test('that ends early fails as a lost connection', async () => {
    failed(await outcomeOf('', end), 'connection_lost', /^the connection was closed by 127\.0\.0\.1:\d+ before an answer came$/)
    const half = 'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf'
    failed(await outcomeOf(half, end), 'connection_lost', /in the middle of the answer$/)
    failed(await outcomeOf(`${half}`, (socket) => socket.resetAndDestroy()), 'connection_lost', /closed by/)
    const chunked = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n5\r\nhello\r\n'
    failed(await outcomeOf(chunked, end), 'connection_lost', /in the middle of the answer$/)
  })

  test('that ends with its connection, without a length, is complete', async () => {
    const outcome = await outcomeOf('HTTP/1.1 200 OK\r\nconnection: close\r\n\r\nall of it', end)
    assert.ok(outcome.kind === 'answered')
    assert.equal(outcome.body.toString(), 'all of it')
  })
})

describe('a request that cannot be written', () => {
  test('fails as an outcome and is never thrown', async () => {
    await using sender = senderTo()
    failed(await sender.send(get('not a url')), 'protocol', /^the callback URL cannot be read/)
    failed(await sender.send(get('ftp://example.com/')), 'protocol', /over https, not over ftp:$/)
    failed(await sender.send(get('https://user:secret@example.com/')), 'protocol', /user name or a password/)
    failed(await sender.send(get('http://127.0.0.1/', { headers: ['x-bad', 'a\r\nb'] })), 'protocol', /invalid x-bad header/)
  })
})
