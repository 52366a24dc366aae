import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { test } from 'node:test'
import type { DetailedPeerCertificate, TLSSocket } from 'node:tls'
import { createSessionCache, type SessionCache } from '../../src/delivery/send/session-cache.ts'
import { createClock } from '../../src/lib/clock.ts'

const ORIGIN = 'https://a.example'
const MINUTE_MS = 60_000

interface Handshake {
  /** The session that the server sends. */
  bytes?: number
  authorized?: boolean
  isReused?: boolean
  /** How long the certificate is still valid. */
  validMs?: number
}

/** A handshake with an origin; answers whether a session was offered for it. */
function connect(cache: SessionCache, clock: { now(): number }, origin = ORIGIN, handshake: Handshake = {}) {
  const { bytes = 1000, authorized = true, isReused = false, validMs = 60 * MINUTE_MS } = handshake
  const { options, watch } = cache.resume(origin)
  const socket = Object.assign(new EventEmitter(), { authorized, isSessionReused: () => isReused })
  watch(socket as unknown as TLSSocket)
  const certificate = { subjectaltname: 'DNS:a.example', valid_to: new Date(clock.now() + validMs).toUTCString() }
  if (!isReused) options.checkServerIdentity!('a.example', certificate as DetailedPeerCertificate)
  socket.emit('session', Buffer.alloc(bytes))
  return options.session !== undefined
}

const isOffered = (cache: SessionCache, origin = ORIGIN) => cache.resume(origin).options.session !== undefined

test('the session of an accepted certificate is offered to the next connection, for five minutes after the certificate was checked', () => {
  const clock = createClock()
  const cache = createSessionCache(clock)
  assert.equal(connect(cache, clock), false)
  assert.equal(isOffered(cache), true)
  clock.advance(4 * MINUTE_MS)
  assert.equal(connect(cache, clock, ORIGIN, { isReused: true }), true)
  assert.equal(isOffered(cache), true)
  clock.advance(MINUTE_MS)
  assert.equal(isOffered(cache), false, 'resuming it did not check the certificate again')
})

test('no session is kept of a certificate that is not accepted or has expired, nor one of more than 8 KB', () => {
  const clock = createClock()
  const cache = createSessionCache(clock)
  connect(cache, clock, ORIGIN, { authorized: false })
  assert.equal(isOffered(cache), false)
  connect(cache, clock, ORIGIN, { bytes: 8193 })
  assert.equal(isOffered(cache), false)
  connect(cache, clock, ORIGIN, { bytes: 8192 })
  assert.equal(isOffered(cache), true)
  cache.delete(ORIGIN)
  assert.equal(isOffered(cache), false)
  connect(cache, clock, ORIGIN, { validMs: 2 * MINUTE_MS })
  assert.equal(isOffered(cache), true)
  clock.advance(2 * MINUTE_MS)
  assert.equal(isOffered(cache), false)
})

test('the sessions of 2,000 origins are kept, and the one that was cached first goes first', () => {
  const clock = createClock()
  const cache = createSessionCache(clock)
  for (let n = 0; n < 2000; n += 1) connect(cache, clock, `https://${n}.example`)
  connect(cache, clock, 'https://0.example')
  assert.equal(isOffered(cache, 'https://1.example'), true)
  connect(cache, clock, 'https://2000.example')
  assert.deepEqual(
    ['https://0.example', 'https://1.example', 'https://2.example', 'https://2000.example'].map((origin) => isOffered(cache, origin)),
    [true, false, true, true],
  )
})
