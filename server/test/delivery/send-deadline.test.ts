import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Outcome } from '../../src/delivery/send/sender.ts'
import { type Clock, createClock } from '../../src/lib/clock.ts'
import { startCallback, startNameServer, startSocketServer } from '../stage/callback-servers.ts'
import { certificateAuthority, selfSigned } from '../stage/certificates.ts'
import { watchClientSockets } from '../stage/client-sockets.ts'
import { get, senderTo, soFar, soon, TIMEOUT_MS } from '../stage/sending.ts'

/** Moves the clock half-way to the deadline and then to it; the sending must end with it and not before. */
async function endsAtDeadline(clock: Clock, sending: Promise<Outcome>, doing: RegExp, leftMs = TIMEOUT_MS) {
  clock.advance(leftMs / 2)
  assert.equal(await soFar(sending), undefined)
  clock.advance(leftMs / 2)
  const outcome = await sending
  assert.ok(outcome.kind === 'failed' && outcome.stage === 'timeout', JSON.stringify(outcome))
  assert.match(outcome.message, /^timed out after 10000 ms while /)
  assert.match(outcome.message, doing)
}

test('the deadline ends a request while its name is resolved', async () => {
  await using names = await startNameServer({ 'silent.test': 'silence' })
  const clock = createClock()
  await using sender = senderTo({ clock, resolver: [names.address] })
  const sending = sender.send(get('https://silent.test/'))
  await names.asked('silent.test')
  await endsAtDeadline(clock, sending, /resolving the name silent\.test$/)
})

test('the deadline ends a request while it connects, and the connection with it', async () => {
  await using callback = await startCallback(() => {})
  const clock = createClock()
  await using sender = senderTo({ clock })
  const sending = sender.send(get(callback.origin))
  // A connection is not made before the event loop turns.
  clock.advance(TIMEOUT_MS)
  const outcome = await sending
  assert.ok(outcome.kind === 'failed' && outcome.stage === 'timeout')
  assert.match(outcome.message, /while connecting to 127\.0\.0\.1:\d+$/)
  await callback.closed()
  assert.equal(callback.requests.length, 0)
})

test('the deadline ends a request in the TLS handshake', async () => {
  let greeted = () => {}
  const greeting = new Promise<void>((resolve) => (greeted = resolve))
  await using server = await startSocketServer((socket) => socket.once('data', greeted))
  const clock = createClock()
  await using sender = senderTo({ clock })
  const sending = sender.send(get(`https://127.0.0.1:${server.port}/`))
  await greeting
  await endsAtDeadline(clock, sending, /doing the TLS handshake with 127\.0\.0\.1:\d+$/)
  await server.closed()
})

for (const scheme of ['http', 'https']) {
  test(`the deadline ends a request that waits for headers over ${scheme}`, async () => {
    const issuer = await certificateAuthority('Trusted')
    await using callback = await startCallback(() => {}, scheme === 'https' ? await selfSigned({ issuer }) : {})
    const clock = createClock()
    await using sender = senderTo({ clock, ca: issuer.cert })
    const sending = sender.send(get(callback.origin))
    await callback.received(1)
    await endsAtDeadline(clock, sending, /waiting for the answer's headers from 127\.0\.0\.1:\d+$/)
    await callback.closed()
  })
}

test('an interim response does not count as headers', async () => {
  await using callback = await startCallback((_request, response) => response.writeEarlyHints({ link: '</a>; rel=preload' }))
  const clock = createClock()
  await using sender = senderTo({ clock })
  using client = watchClientSockets()
  const sending = sender.send(get(callback.origin))
  await soon(() => client.bytesRead().some((bytes) => bytes > 0))
  await endsAtDeadline(clock, sending, /waiting for the answer's headers/)
})

test('the deadline ends a request with an endless response', async () => {
  await using callback = await startCallback((_request, response) => void response.writeHead(200).write('{"half":'))
  const clock = createClock()
  await using sender = senderTo({ clock })
  using client = watchClientSockets()
  const sending = sender.send(get(callback.origin))
  await soon(() => client.bytesRead().some((bytes) => bytes > 0))
  await endsAtDeadline(clock, sending, /reading the answer's body from 127\.0\.0\.1:\d+$/)
  await callback.closed()
})

test('there is one deadline for a whole request, not one for each step', async () => {
  let respond = () => {}
  using client = watchClientSockets()
  await using names = await startNameServer({ 'slow.test': ['127.0.0.1'] })
  await using callback = await startCallback((_request, response) => {
    respond = () => void response.writeHead(200).write('half')
  })
  const clock = createClock()
  await using sender = senderTo({ clock, resolver: [names.address] })
  const sending = sender.send(get(`http://slow.test:${callback.port}/`))
  await names.asked('slow.test')
  clock.advance(2_000)
  await callback.received(1)
  clock.advance(2_000)
  respond()
  await soon(() => client.bytesRead().some((bytes) => bytes > 0))
  await endsAtDeadline(clock, sending, /reading the answer's body/, 6_000)
})

test('each request has its own deadline, shorter ones first', async () => {
  await using callback = await startCallback(() => {})
  const clock = createClock()
  await using sender = senderTo({ clock })
  const long = sender.send(get(callback.origin))
  const short = sender.send(get(callback.origin, { timeoutMs: 3_000 }))
  await callback.received(2)
  clock.advance(3_000)
  assert.equal((await short).kind, 'failed')
  assert.equal(await soFar(long), undefined)
  const later = sender.send(get(callback.origin, { timeoutMs: 3_000 }))
  clock.advance(3_000)
  assert.equal((await later).kind, 'failed')
  assert.equal(await soFar(long), undefined)
  clock.advance(4_000)
  assert.equal((await long).kind, 'failed')
})

test('after a timeout the next request to the same callback uses a new connection', async () => {
  let isHanging = true
  await using callback = await startCallback((_request, response) => {
    if (!isHanging) response.end('ok')
  })
  const clock = createClock()
  await using sender = senderTo({ clock })
  const sending = sender.send(get(callback.origin))
  await callback.received(1)
  clock.advance(TIMEOUT_MS)
  await sending
  isHanging = false
  assert.equal((await sender.send(get(callback.origin))).kind, 'answered')
  assert.equal(callback.connections(), 2)
})
