import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ChallengeResult } from '../../src/delivery/challenge/challenger.ts'
import { createChallenger } from '../../src/delivery/challenge/challenger.ts'
import { createSender, type Sender } from '../../src/delivery/send/sender.ts'
import { createClock } from '../../src/lib/clock.ts'
import { signature } from '../../src/lib/crypto.ts'
import { type Answering, startCallback, startNameServer, startSocketServer } from '../stage/callback-servers.ts'
import { createSignal } from '../stage/signal.ts'

const SECRET = 'the-consumer-secret-of-this-app'
const DEADLINE_MS = 3000
/** A hidden failure is told soon after the deadline. */
const TOLD_BY_MS = DEADLINE_MS + 100

/** Loopback that is spelled as IPv6 is like any private network that only an allow list lets through. */
const PRIVATE = '[::ffff:127.0.0.1]'
const ALLOW = ['127.0.0.0/8', '::ffff:0:0/96']

const answerRightly: Answering = ({ target }, response) => {
  const token = new URL(target, 'http://callback').searchParams.get('crc_token')!
  response.end(JSON.stringify({ response_token: signature(SECRET, token) }))
}

/** A challenger in production on a clock that the test moves. */
function setChallenger(resolver: readonly string[]) {
  const clock = createClock()
  const real = createSender({ clock, allow: ALLOW, refuse: () => [{ address: '127.0.0.5', port: 443 }], resolver })
  const signal = createSignal()
  let outcomes = 0
  const sender: Sender = {
    ...real,
    send(out) {
      return real.send(out).finally(() => {
        outcomes += 1
        signal.changed()
      })
    },
  }
  const challenger = createChallenger({ sender, clock, headerName: 'x-signature', hideRestricted: true })
  const challenge = (url: string) => challenger.challenge({ url, secrets: [SECRET] })
  return {
    clock,
    challenge,
    /** Resolves once the sender has come to so many outcomes. */
    decided: (count: number) => signal.until(() => outcomes >= count),
    [Symbol.asyncDispose]: real.close,
  }
}

/** Lets everything run that needs no timer and no socket. */
async function runMicrotasks() {
  for (let turn = 0; turn < 50; turn++) await Promise.resolve()
}

describe('a failure of a callback that is not known to be public', () => {
  test('has the same message and the same duration, whatever it was', async () => {
    await using silent = await startSocketServer(() => {})
    await using talking = await startSocketServer((socket) => void socket.end('SSH-2.0-OpenSSH_9.6\r\n'))
    await using wrong = await startCallback((_request, response) => void response.writeHead(404).end('internal wiki'))
    await using redirecting = await startCallback(
      (_request, response) => void response.writeHead(302, { location: 'http://10.0.0.1/' }).end(),
    )
    await using unsigned = await startCallback((_request, response) => void response.end('{"response_token":"sha256=AAAA"}'))
    await using endless = await startCallback((_request, response) => void response.end('x'.repeat(100_000)))
    const closed = await startSocketServer(() => {})
    await closed[Symbol.asyncDispose]()
    await using names = await startNameServer({
      'bare.test': [],
      'broken.test': 'failure',
      'silent.test': 'silence',
      'private.test': ['10.0.0.1'],
      'both.test': ['8.8.8.8', '10.0.0.1'],
      'here.test': ['::ffff:127.0.0.1'],
    })
    await using stage = setChallenger([names.address])
    /** What the operator is told, and whether it is decided before the deadline. */
    const cases: readonly [url: string, details: RegExp, early: boolean][] = [
      ['https://10.0.0.1/', /^10\.0\.0\.1 is in a private network/, true],
      ['https://169.254.169.254/latest', /metadata/, true],
      ['https://127.0.0.5/', /Postern itself listens/, true],
      ['https://[::1]/', /loopback/, true],
      ['https://private.test/', /^private\.test resolves to 10\.0\.0\.1, which is in a private network/, true],
      ['https://both.test/', /^both\.test resolves to 10\.0\.0\.1/, true],
      ['https://none.test/', /does not exist/, true],
      ['https://bare.test/', /has no address/, true],
      ['https://broken.test/', /name servers failed/, true],
      ['https://silent.test/', /timed out after \d+ ms while resolving/, false],
      [`http://${PRIVATE}:${closed.port}/`, /nothing listens there/, true],
      [`http://here.test:${closed.port}/`, /nothing listens there/, true],
      [`http://${PRIVATE}:${silent.port}/`, /timed out after \d+ ms while waiting/, false],
      [`https://${PRIVATE}:${silent.port}/`, /timed out after \d+ ms while doing the TLS handshake/, false],
      [`https://${PRIVATE}:${wrong.port}/`, /does not speak TLS/, true],
      [`http://${PRIVATE}:${talking.port}/`, /not valid HTTP/, true],
      [`http://${PRIVATE}:${wrong.port}/`, /answered 404/, true],
      [`http://${PRIVATE}:${redirecting.port}/`, /a redirect to/, true],
      [`http://${PRIVATE}:${unsigned.port}/`, /is no digest/, true],
      [`http://${PRIVATE}:${endless.port}/`, /longer than 16 KB/, true],
    ]
    const startMs = stage.clock.now()
    const told: ChallengeResult[] = []
    const all = cases.map(async ([url]) => {
      const result = await stage.challenge(url)
      told.push(result)
      return result
    })
    await stage.decided(cases.filter(([, , early]) => early).length)
    stage.clock.advance(startMs + DEADLINE_MS - 1 - stage.clock.now())
    await runMicrotasks()
    assert.deepEqual(told, [], 'told before the deadline')
    stage.clock.advance(TOLD_BY_MS - DEADLINE_MS)
    const results = await Promise.all(all)
    for (const [at, result] of results.entries()) {
      assert.ok(!result.passed)
      assert.equal(result.reason, 'address not reachable', cases[at]![0])
      assert.match(result.details, cases[at]![1])
    }
  })

  test('is returned even if the clock was moved far beyond the deadline', async () => {
    await using stage = setChallenger(['127.0.0.1:9'])
    const challenging = stage.challenge('https://10.0.0.1/')
    stage.clock.advance(24 * 3_600_000)
    assert.equal((await challenging).passed, false)
  })
})

test('a challenge that passes is returned at once, also for an address that only the allow list allows', async () => {
  await using callback = await startCallback(answerRightly)
  await using names = await startNameServer({ 'here.test': ['::ffff:127.0.0.1'] })
  await using stage = setChallenger([names.address])
  const startMs = stage.clock.now()
  for (const host of [PRIVATE, '127.0.0.1', 'here.test'])
    assert.deepEqual(await stage.challenge(`http://${host}:${callback.port}/`), { passed: true, secret: 0 })
  assert.ok(stage.clock.now() < startMs + DEADLINE_MS)
})

test('a failure of an allowed loopback address is returned at once with its details', async () => {
  await using callback = await startCallback((_request, response) => void response.writeHead(404).end())
  await using names = await startNameServer({ 'here.test': ['127.0.0.1'] })
  await using stage = setChallenger([names.address])
  const startMs = stage.clock.now()
  for (const host of ['127.0.0.1', 'here.test']) {
    const result = await stage.challenge(`http://${host}:${callback.port}/`)
    assert.ok(!result.passed)
    assert.match(result.reason, /answered 404/)
    assert.equal(result.details, result.reason)
  }
  assert.ok(stage.clock.now() < startMs + DEADLINE_MS)
})
