import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'
import { describe, test } from 'node:test'
import type { TlsOptions } from 'node:tls'
import { createClock } from '../../src/lib/clock.ts'
import { type Answering, startCallback, startSocketServer } from '../stage/callback-servers.ts'
import { type Certificate, certificateAuthority, selfSigned } from '../stage/certificates.ts'
import { floods, type Hostility, resets, says, withBody } from '../stage/hostile-sockets.ts'
import { failed, post, senderTo, soFar, soon, TIMEOUT_MS, turn } from '../stage/sending.ts'
import { startTlsServer } from '../stage/tls-server.ts'

const answerOk: Answering = (_request, response) => void response.end('ok')

/** The type of a TLS record that holds what is sent over it. */
const APPLICATION_DATA = 0x17
const TRUSTED = certificateAuthority('Trusted')
const EXPIRED = { from: new Date('2020-01-01T00:00:00Z'), until: new Date('2021-02-03T04:05:06Z') }

/** Certificates that are not to be trusted, each with what an integrator is told about it. */
const CERTIFICATES: Record<string, [make: () => Promise<Certificate>, told: RegExp]> = {
  'without subjectAltName': [
    async () => selfSigned({ hosts: [], issuer: await TRUSTED }),
    /^the certificate of 127\.0\.0\.1 does not belong to 127\.0\.0\.1: it names no host at all \(no subjectAltName\)$/,
  ],
  'for another address': [
    async () => selfSigned({ hosts: ['127.0.0.2', '::1'], issuer: await TRUSTED }),
    /does not belong to 127\.0\.0\.1: it is for 127\.0\.0\.2, 0:0:0:0:0:0:0:1$/,
  ],
  'whose intermediate is missing': [
    async () => selfSigned({ issuer: await certificateAuthority('Between', { issuer: await TRUSTED }) }),
    /comes from an unknown issuer \(Between\): send the intermediate certificates too/,
  ],
  'that brings its own authority': [
    async () => {
      const own = await certificateAuthority('Own')
      const leaf = await selfSigned({ issuer: own })
      return { ...leaf, cert: `${leaf.cert}\n${own.cert}` }
    },
    /comes from an authority that is not trusted here \(Own\)$/,
  ],
  'whose intermediate has expired': [
    async () => {
      const between = await certificateAuthority('Between', { issuer: await TRUSTED, ...EXPIRED })
      const leaf = await selfSigned({ issuer: between })
      return { ...leaf, cert: `${leaf.cert}\n${between.cert}` }
    },
    /or one of its chain expired at 2021-02-03T04:05:06/,
  ],
  'whose issuer has a name of many lines': [
    async () => selfSigned({ issuer: await certificateAuthority(`Evil\n${'x'.repeat(3000)}`) }),
    /comes from an unknown issuer \(Evil\\u000ax{55}…\): send the intermediate certificates too/,
  ],
  'for a hundred long names': [
    async () => selfSigned({ hosts: Array.from({ length: 100 }, (_, n) => `${n}${'x'.repeat(300)}.test`), issuer: await TRUSTED }),
    /it is for 0x{59}…, 1x{59}…, 2x{59}…, 3x{59}…, 4x{59}… and 95 more$/,
  ],
}

describe('a rejected certificate has a short message, and nothing is sent:', () => {
  for (const [name, [make, told]] of Object.entries(CERTIFICATES))
    test(name, async () => {
      await using callback = await startCallback(answerOk, await make())
      await using sender = senderTo({ ca: (await TRUSTED).cert })
      const outcome = await sender.send(post(callback.origin))
      failed(outcome, 'tls', told)
      assert.ok(outcome.kind === 'failed' && outcome.message.length <= 500)
      await callback.closed()
      assert.equal(callback.requests.length, 0)
    })
})

const handshakeFailed = (why: string) => new RegExp(`^the TLS handshake with 127\\.0\\.0\\.1:\\d+ failed: ${why}$`)
const bytes = (hex: string) => Buffer.from(hex, 'hex').toString('latin1')

const HANDSHAKES: Record<string, [Hostility, why: string]> = {
  'an alert that it failed': [says(bytes('15030300020228')), 'it has no certificate, or no cipher in common with us'],
  'an alert that it broke': [says(bytes('15030300020250')), 'tlsv1 alert internal error'],
  'an alert that it is over': [says(bytes('15030300020100')), 'the connection was closed in the middle of it'],
  'warnings without end': [floods('', bytes('1503030002015a')), 'too many warn alerts'],
  garbage: [says('\x80'.repeat(100)), 'what answers there does not speak TLS'],
  'garbage in a record': [says(bytes('16030300050102030405')), 'unexpected message'],
  'a message longer than any': [floods(bytes('160303400002ffffff'), 'a'), 'excessive message size'],
  'a reset': [says('', resets), 'the connection was closed in the middle of it'],
}

describe('a failed handshake has its reason:', () => {
  for (const [name, [does, why]] of Object.entries(HANDSHAKES))
    test(name, async () => {
      await using server = await startSocketServer(does)
      await using sender = senderTo()
      failed(await sender.send(post(`https://127.0.0.1:${server.port}/`)), 'tls', handshakeFailed(why))
      await server.closed()
    })

  const SERVERS: Record<string, [options: TlsOptions, why: string]> = {
    'only a cipher that does not encrypt': [
      { maxVersion: 'TLSv1.2', ciphers: 'ECDHE-ECDSA-NULL-SHA:@SECLEVEL=0' },
      'it has no certificate, or no cipher in common with us',
    ],
    'only HTTP/2': [{ ALPNProtocols: ['h2'] }, 'it does not offer HTTP/1\\.1'],
    'only with a client certificate': [
      { maxVersion: 'TLSv1.2', requestCert: true, rejectUnauthorized: true },
      'it has no certificate, or no cipher in common with us',
    ],
  }
  for (const [name, [options, why]] of Object.entries(SERVERS))
    test(name, async () => {
      const issuer = await TRUSTED
      await using callback = await startCallback(answerOk, { ...(await selfSigned({ issuer })), ...options })
      await using sender = senderTo({ ca: issuer.cert })
      failed(await sender.send(post(callback.origin)), 'tls', handshakeFailed(why))
      await callback.closed()
    })
})

/** A real callback over TLS, and before it a server that hands on what the callback sends, and what it is sent, as it likes. */
async function startRelay(
  hand: (piece: Buffer, socket: Socket) => void,
  { forward = (piece: Buffer) => piece, ...options }: TlsOptions & { forward?: (piece: Buffer) => Buffer } = {},
) {
  const issuer = await TRUSTED
  const callback = await startCallback(answerOk, { ...(await selfSigned({ issuer })), ...options })
  const server = await startSocketServer((socket) => {
    const behind = connect(callback.port, '127.0.0.1')
    behind.on('error', () => {}).on('data', (piece) => hand(piece as Buffer, socket))
    socket.on('data', (piece) => behind.write(forward(piece as Buffer)))
    socket.once('close', () => behind.destroy())
  })
  return {
    url: `https://127.0.0.1:${server.port}/`,
    ca: issuer.cert,
    closed: server.closed,
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]()
      await callback[Symbol.asyncDispose]()
    },
  }
}

test('a handshake and a response that arrive byte by byte are accepted', async () => {
  await using relay = await startRelay((piece, socket) => {
    for (const byte of piece) socket.write(Buffer.of(byte))
  })
  await using sender = senderTo({ ca: relay.ca })
  assert.equal((await sender.send(post(relay.url))).kind, 'answered')
})

test('a handshake that is closed half-way is reported as such', async () => {
  await using relay = await startRelay((piece, socket) => void socket.end(piece.subarray(0, 200)))
  await using sender = senderTo({ ca: relay.ca })
  failed(await sender.send(post(relay.url)), 'tls', handshakeFailed('the connection was closed in the middle of it'))
  await relay.closed()
})

test('a handshake with one byte a second ends at the deadline', async () => {
  const clock = createClock()
  let server: Socket | undefined
  let held = Buffer.alloc(0)
  await using relay = await startRelay((piece, socket) => {
    server = socket
    held = Buffer.concat([held, piece])
  })
  await using sender = senderTo({ clock, ca: relay.ca })
  const sending = sender.send({ ...post(relay.url), timeoutMs: 2 * TIMEOUT_MS })
  await soon(() => held.length > 0)
  for (let second = 0; second < 9; second++) {
    server!.write(held.subarray(second, second + 1))
    await turn()
    clock.advance(1000)
    assert.equal(await soFar(sending), undefined)
  }
  clock.advance(11_000)
  failed(await sending, 'timeout', /timed out after \d+ ms while doing the TLS handshake with 127\.0\.0\.1:\d+$/)
  await relay.closed()
})

test('an alert after the handshake is reported, not only the closed connection', async () => {
  const spoil = (piece: Buffer) => (piece[0] === APPLICATION_DATA ? Buffer.from(piece.with(-1, piece.at(-1)! ^ 1)) : piece)
  await using relay = await startRelay((piece, socket) => void socket.write(piece), { maxVersion: 'TLSv1.2', forward: spoil })
  await using sender = senderTo({ ca: relay.ca })
  failed(await sender.send(post(relay.url)), 'tls', /alert bad record mac$/)
  await relay.closed()
})

test('renegotiation on an open connection is refused', async () => {
  const issuer = await TRUSTED
  let refused = (_error: Error | null) => {}
  const refusal = new Promise<Error | null>((resolve) => (refused = resolve))
  const clock = createClock()
  await using tls = await startTlsServer({ ...(await selfSigned({ issuer })), maxVersion: 'TLSv1.2' }, (socket) => {
    socket.on('error', refused).once('data', () => socket.renegotiate({}, refused))
  })
  await using sender = senderTo({ clock, ca: issuer.cert })
  const sending = sender.send(post(tls.url))
  assert.match(String(await refusal), /no renegotiation/)
  clock.advance(TIMEOUT_MS)
  assert.equal((await sending).kind, 'failed')
})

test('an http URL of a TLS server fails with one message', async () => {
  await using callback = await startCallback(answerOk, await selfSigned())
  await using sender = senderTo()
  failed(await sender.send(post(`http://127.0.0.1:${callback.port}/`)), 'connection_lost', /before an answer came$/)
})

test('an expired certificate is noticed by the next connection, at the latest after five minutes', async () => {
  const issuer = await TRUSTED
  const expired = await selfSigned({ issuer, ...EXPIRED })
  let connections = 0
  const clock = createClock()
  await using tls = await startTlsServer(await selfSigned({ issuer }), (socket) => {
    connections++
    says(withBody(2))(socket)
  })
  await using sender = senderTo({ clock, ca: issuer.cert })
  const send = () => sender.send(post(tls.url))
  assert.equal((await send()).kind, 'answered')
  tls.server.setSecureContext(expired)
  for (let used = 0; used < 13; used++) {
    clock.advance(23_000)
    assert.equal((await send()).kind, 'answered')
  }
  assert.equal(connections, 1)
  clock.advance(1000)
  failed(await send(), 'tls', /expired at 2021-02-03T04:05:06/)
})
