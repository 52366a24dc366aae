import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { connect } from 'node:net'
import { test } from 'node:test'
import type { SecureVersion, TlsOptions } from 'node:tls'
import type { Sender } from '../../src/delivery/send/sender.ts'
import { createClock } from '../../src/lib/clock.ts'
import { startSocketServer } from '../stage/callback-servers.ts'
import { certificateAuthority, selfSigned } from '../stage/certificates.ts'
import { ends, says } from '../stage/hostile-sockets.ts'
import { failed, post, senderTo } from '../stage/sending.ts'
import { startTlsServer } from '../stage/tls-server.ts'

const MINUTE_MS = 60_000
const TRUSTED = certificateAuthority('Trusted')
const VERSIONS: readonly SecureVersion[] = ['TLSv1.3', 'TLSv1.2']
const LAST_ANSWER = 'HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 2\r\n\r\nok'

const howMany = (reused: readonly boolean[]) => reused.filter(Boolean).length

/**
 * A callback over TLS that closes after each answer, and tells of each connection whether it resumed a session. It may not
 * hear of one whose certificate was refused.
 */
async function startClosing(options: TlsOptions) {
  const reused: boolean[] = []
  const tls = await startTlsServer(options, (socket) => {
    reused.push(socket.isSessionReused())
    socket.on('error', () => {})
    says(LAST_ANSWER, ends)(socket)
  })
  return { ...tls, reused }
}

const delivers = async (sender: Sender, url: string) => {
  const outcome = await sender.send(post(url))
  assert.equal(outcome.kind, 'answered', JSON.stringify(outcome))
}

for (const version of VERSIONS)
  test(`a new connection resumes the session of the previous one over ${version}`, async () => {
    const issuer = await TRUSTED
    await using callback = await startClosing({ ...(await selfSigned({ issuer })), maxVersion: version })
    await using sender = senderTo({ ca: issuer.cert })
    for (let n = 0; n < 4; n++) await delivers(sender, callback.url)
    assert.deepEqual(callback.reused, [false, true, true, true])
  })

test('a session is not offered to another origin', async () => {
  const issuer = await TRUSTED
  const shared = { ...(await selfSigned({ issuer })), ticketKeys: randomBytes(48) }
  await using first = await startClosing(shared)
  await using second = await startClosing(shared)
  await using sender = senderTo({ ca: issuer.cert })
  await delivers(sender, first.url)
  await delivers(sender, second.url)
  await delivers(sender, `https://localhost:${first.port}/`)
  await delivers(sender, first.url)
  assert.deepEqual([first.reused, second.reused], [[false, false, true], [false]])
})

for (const version of VERSIONS)
  test(`a session with a rejected certificate is not resumed over ${version}`, async () => {
    const issuer = await TRUSTED
    const options = { ...(await selfSigned({ issuer })), ticketKeys: randomBytes(48), maxVersion: version }
    await using callback = await startClosing(options)
    await using trusting = senderTo({ ca: issuer.cert })
    await using sender = senderTo()
    await delivers(trusting, callback.url)
    for (const _time of [1, 2]) failed(await sender.send(post(callback.url)), 'tls', /comes from an unknown issuer \(Trusted\)/)
    await delivers(trusting, callback.url)
    assert.equal(howMany(callback.reused), 1)
  })

const BAD_CERTIFICATES = {
  'has expired': [
    async () => selfSigned({ issuer: await TRUSTED, from: new Date('2020-01-01T00:00:00Z'), until: new Date('2021-02-03T04:05:06Z') }),
    /expired at 2021-02-03T04:05:06/,
  ],
  'is for another host': [async () => selfSigned({ issuer: await TRUSTED, hosts: ['127.0.0.2'] }), /it is for 127\.0\.0\.2$/],
  'is of an authority that is not trusted': [async () => selfSigned({ issuer: await certificateAuthority('Other') }), /\(Other\)/],
} as const

for (const [name, [make, told]] of Object.entries(BAD_CERTIFICATES))
  test(`a new certificate that ${name} is noticed at the latest five minutes later, although every connection could resume`, async () => {
    const issuer = await TRUSTED
    const ticketKeys = randomBytes(48)
    const clock = createClock()
    await using callback = await startClosing({ ...(await selfSigned({ issuer })), ticketKeys })
    await using sender = senderTo({ clock, ca: issuer.cert })
    await delivers(sender, callback.url)
    callback.server.setSecureContext({ ...(await make()), ticketKeys })
    for (let minute = 1; minute < 5; minute++) {
      clock.advance(MINUTE_MS)
      await delivers(sender, callback.url)
    }
    clock.advance(MINUTE_MS)
    for (const _time of [1, 2]) failed(await sender.send(post(callback.url)), 'tls', told)
    assert.equal(howMany(callback.reused), 4)
  })

test('a session is not resumed once a certificate of its chain has expired', async () => {
  const issuer = await TRUSTED
  const clock = createClock()
  const until = new Date(clock.now() + 2 * MINUTE_MS)
  const between = await certificateAuthority('Between', { issuer, until })
  const leaf = await selfSigned({ issuer: between })
  await using callback = await startClosing({ ...leaf, cert: `${leaf.cert}\n${between.cert}` })
  await using sender = senderTo({ clock, ca: issuer.cert })
  await delivers(sender, callback.url)
  clock.advance(MINUTE_MS)
  await delivers(sender, callback.url)
  clock.advance(MINUTE_MS)
  await delivers(sender, callback.url)
  assert.deepEqual(callback.reused, [false, true, false])
})

test('a session is not offered again after a handshake failed with it', async () => {
  const issuer = await TRUSTED
  await using callback = await startClosing(await selfSigned({ issuer }))
  let isBroken = false
  await using before = await startSocketServer((socket) => {
    if (isBroken) return socket.once('data', () => socket.destroy())
    const behind = connect(callback.port, '127.0.0.1')
    behind.on('error', () => {})
    return socket.pipe(behind).pipe(socket)
  })
  await using sender = senderTo({ ca: issuer.cert })
  const url = `https://127.0.0.1:${before.port}/`
  await delivers(sender, url)
  await delivers(sender, url)
  isBroken = true
  failed(await sender.send(post(url)), 'tls', /the connection was closed in the middle of it$/)
  isBroken = false
  await delivers(sender, url)
  assert.deepEqual(callback.reused, [false, true, false])
})
