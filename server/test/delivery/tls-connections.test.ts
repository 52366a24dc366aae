import assert from 'node:assert/strict'
import { once } from 'node:events'
import { describe, test } from 'node:test'
import type { SecureVersion, TLSSocket } from 'node:tls'
import { type Answering, startCallback } from '../stage/callback-servers.ts'
import { cases } from '../stage/cases.ts'
import { certificateAuthority, selfSigned } from '../stage/certificates.ts'
import { withBody } from '../stage/hostile-sockets.ts'
import { PATIENCE_MS } from '../stage/pause.ts'
import { post, senderTo, turn } from '../stage/sending.ts'
import { startTlsCallback } from '../stage/tls-callback.ts'
import { startTlsServer } from '../stage/tls-server.ts'

const TRUSTED = certificateAuthority('Trusted')
const VERSIONS: readonly SecureVersion[] = ['TLSv1.3', 'TLSv1.2']
const BODY = Buffer.from(`{"a":"${'a'.repeat(1024)}"}`)
/** Longer than what the operating system takes before it is read. */
const LONG = Buffer.from(`{"a":"${'a'.repeat(8 * 1024 * 1024)}"}`)

/** Sends one after the other, in so many places at once. */
async function sendMany(count: number, inFlight: number, send: () => Promise<unknown>) {
  let left = count
  const sendOn = async () => {
    while (left-- > 0) await send()
  }
  await Promise.all(Array.from({ length: inFlight }, sendOn))
}

/** How many are delivered at once: the most in the slow lane alone, where each of them makes a connection. */
const IN_FLIGHT = [4, 64, 400].slice(0, cases(2, 3))
/** A busy machine may take long for so many handshakes at once. */
const PATIENT = { timeoutMs: PATIENCE_MS }
/** Before an answer of the callback: three of them, or all in the slow lane. */
const DELAYS_MS = [0, 1, 2, 5, 20].filter((_, place) => place % cases(2, 1) === 0)

for (const version of VERSIONS)
  describe(`over ${version}, there are no more connections than concurrent deliveries, whatever the callback's speed:`, () => {
    for (const inFlight of IN_FLIGHT)
      test(`${inFlight} at the same time`, async () => {
        const issuer = await TRUSTED
        await using callback = await startTlsCallback({ ...(await selfSigned({ issuer })), maxVersion: version })
        await using sender = senderTo({ ca: issuer.cert })
        for (const ms of DELAYS_MS) {
          await sendMany(Math.max(2 * inFlight, 300), inFlight, async () => {
            const outcome = await sender.send({ ...post(callback.answeringAfter(ms), BODY), ...PATIENT })
            assert.equal(outcome.kind, 'answered', JSON.stringify(outcome))
          })
          const { handshakes } = await callback.connections()
          assert.equal(handshakes, inFlight, `answered after ${ms} ms`)
        }
      })
  })

for (const version of VERSIONS)
  test(`a connection is also kept after a long request over ${version}`, async () => {
    const issuer = await TRUSTED
    const answer: Answering = (_request, response) => void response.end('ok')
    await using callback = await startCallback(answer, { ...(await selfSigned({ issuer })), maxVersion: version })
    await using sender = senderTo({ ca: issuer.cert })
    for (const body of [LONG, BODY, LONG.subarray(0, 300_000), LONG, BODY]) {
      assert.equal((await sender.send(post(callback.origin, body))).kind, 'answered')
    }
    assert.equal(callback.connections(), 1)
  })

/** Answers when the beginning of a request has come, and reads no more of it. */
async function startEarly(version: SecureVersion) {
  const issuer = await TRUSTED
  const sockets: TLSSocket[] = []
  const tls = await startTlsServer({ ...(await selfSigned({ issuer })), maxVersion: version }, (socket) => {
    sockets.push(socket)
    socket.on('error', () => {}).once('data', () => socket.pause().write(withBody(2)))
  })
  const closing = () => Promise.all(sockets.map((socket) => socket.closed || once(socket.resume(), 'close')))
  return { ...tls, ca: issuer.cert, sockets, closing }
}

for (const version of VERSIONS) {
  test(`a request whose response arrived before it was completely sent is not followed by another one over ${version}`, async () => {
    await using callback = await startEarly(version)
    await using sender = senderTo({ ca: callback.ca })
    for (let n = 1; n <= 3; n++) {
      assert.equal((await sender.send(post(callback.url, LONG))).kind, 'answered')
      assert.equal(callback.sockets.length, n)
    }
    await callback.closing()
  })

  test(`a connection whose request was answered but is never completely sent is closed over ${version}`, async () => {
    await using callback = await startEarly(version)
    await using sender = senderTo({ ca: callback.ca })
    assert.equal((await sender.send(post(callback.url, LONG))).kind, 'answered')
    for (let turns = 0; turns < 3; turns++) await turn()
    let bytes = 0
    callback.sockets[0]!.on('data', (piece: Buffer) => (bytes += piece.length))
    await callback.closing()
    assert.ok(bytes < LONG.length, 'the whole request left')
  })
}
