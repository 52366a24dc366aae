import assert from 'node:assert/strict'
import { createSecretKey } from 'node:crypto'
import { test } from 'node:test'
import { createChallenger } from '../../src/delivery/challenge/challenger.ts'
import { SendFailure } from '../../src/delivery/send/outcome.ts'
import { parseHosts } from '../../src/delivery/send/resolve-name.ts'
import { createSender, type SenderOptions } from '../../src/delivery/send/sender.ts'
import { readTarget } from '../../src/delivery/send/target.ts'
import { createSignedPost } from '../../src/delivery/signed-request.ts'
import { createClock } from '../../src/lib/clock.ts'
import { startCallback, startNameServer } from '../stage/callback-servers.ts'
import { watchTcpConnects } from '../stage/tcp-connects.ts'
import { loopbackNames, refusedNames } from './refused-hosts.ts'

const SECRET = 'the-consumer-secret-of-this-app'

/** What the operator is told of a challenge and of a delivery to the same callback. */
function setStage(options: Partial<SenderOptions>) {
  const clock = createClock()
  const sender = createSender({ clock, allow: [], refuse: () => [], ...options })
  const challenger = createChallenger({ sender, clock, headerName: 'x-signature', hideRestricted: false })
  const post = createSignedPost({ sender, timeoutMs: 10_000, signatureHeader: 'x-signature' })
  const key = createSecretKey(Buffer.from(SECRET))
  return {
    clock,
    async challenged(url: string) {
      const result = await challenger.challenge({ url, secrets: [SECRET] })
      return result.passed ? 'passed' : result.details
    },
    async posted(url: string) {
      const target = readTarget(url)
      assert.ok(!(target instanceof SendFailure))
      const outcome = await post({ target, key }, Buffer.from('{}'))
      return outcome.kind === 'failed' ? outcome.message : `answered ${outcome.status}`
    },
    [Symbol.asyncDispose]: sender.close,
  }
}

test('a name is refused for a challenge and for a delivery if any of its addresses is, however it gets them', async () => {
  await using names = await startNameServer(
    Object.fromEntries(Object.entries(refusedNames).map(([name, [addresses]]) => [name, addresses])),
  )
  await using stage = setStage({ resolver: [names.address] })
  using connects = watchTcpConnects()
  for (const [name, [, why]] of Object.entries(refusedNames)) {
    for (const host of [name, `${name}.`, name.toUpperCase()]) {
      assert.match(await stage.challenged(`https://${host}/`), why)
      assert.match(await stage.posted(`https://${host}/`), why)
    }
  }
  assert.deepEqual(connects.tried(), [])
})

test('a loopback name is loopback in every spelling, whatever DNS says', async () => {
  await using callback = await startCallback((_request, response) => void response.end())
  await using names = await startNameServer(Object.fromEntries(loopbackNames.map((name) => [name, ['8.8.8.8']])))
  await using stage = setStage({ resolver: [names.address] })
  for (const name of loopbackNames) {
    for (const refusal of [
      await stage.challenged(`http://${name}:${callback.port}/`),
      await stage.posted(`http://${name}:${callback.port}/`),
    ])
      assert.match(refusal, /localhost resolves to 127\.0\.0\.1, which is a loopback address/)
  }
  assert.deepEqual([callback.connections(), names.questions], [0, []])
})

test('a name without an address is reported, and a loop of names ends', async () => {
  await using names = await startNameServer({
    'bare.test': [],
    'ring.test': ['other.ring.test'],
    'other.ring.test': ['ring.test'],
    'self.test': ['self.test'],
  })
  await using stage = setStage({ resolver: [names.address] })
  const says: [url: string, why: RegExp][] = [
    ['https://bare.test/', /^the name bare\.test has no address/],
    ['https://ring.test/', /^the name ring\.test has no address/],
    ['https://self.test/', /^the name self\.test has no address/],
    ['https://none.test/', /^the name none\.test does not exist/],
    ['https://intranet/', /^the name intranet does not exist/],
    [`https://${'x'.repeat(64)}.test/`, /is not a valid host name/],
    ['https://a..test/', /^the name a\.\.test is not a valid host name/],
    ['https://localhost../', /^the name localhost\. /],
    ['https://./', /^the name {2}/],
  ]
  for (const [url, why] of says) {
    assert.match(await stage.challenged(url), why)
    assert.match(await stage.posted(url), why)
  }
})

test('of a thousand addresses of a name, only the first eight are tried, one after the other', async () => {
  const thousandFrom = (first: number) => Array.from({ length: 1000 }, (_, at) => `127.0.${(first + at) >> 8}.${(first + at) & 255}`)
  await using callback = await startCallback((_request, response) => void response.end(), { host: '127.0.0.8' })
  await using names = await startNameServer({ 'within.test': thousandFrom(1), 'beyond.test': thousandFrom(9) })
  await using stage = setStage({ allow: ['127.0.0.0/8'], resolver: [names.address] })
  assert.equal(await stage.posted(`http://within.test:${callback.port}/`), 'answered 200')
  using connects = watchTcpConnects()
  assert.match(await stage.posted(`http://beyond.test:${callback.port}/`), /^the connection was refused by .*nothing listens there$/)
  const tried = thousandFrom(9).slice(0, 8)
  assert.deepEqual(
    connects.tried(),
    tried.map((address) => `${address}:${callback.port}`),
  )
})

test('the connection uses the checked address although the name changes at once, and the next connection checks again', async () => {
  await using allowed = await startCallback((_request, response) => void response.end(), { host: '127.0.0.2' })
  await using refused = await startCallback((_request, response) => void response.end(), { host: '127.0.0.3', port: allowed.port })
  const server: { questions?: readonly string[] } = {}
  const records = {
    /** Of the first two questions, for A and AAAA, the answer is allowed; of every later one it is not. */
    get 'rebound.test'() {
      return server.questions!.length <= 2 ? ['127.0.0.2'] : ['127.0.0.3']
    },
  }
  await using names = await startNameServer(records, 0)
  server.questions = names.questions
  await using stage = setStage({ allow: ['127.0.0.2/32'], resolver: [names.address] })
  using connects = watchTcpConnects()
  const url = `http://rebound.test:${allowed.port}/`
  assert.equal(await stage.posted(url), 'answered 200')
  assert.deepEqual([connects.tried(), names.questions.length], [[`127.0.0.2:${allowed.port}`], 2])
  stage.clock.advance(2_000)
  assert.equal(await stage.posted(url), 'answered 200', 'a kept connection needs no address')
  assert.equal(names.questions.length, 2)
  stage.clock.advance(5 * 60_000)
  for (const refusal of [await stage.posted(url), await stage.challenged(url)])
    assert.match(refusal, /^rebound\.test resolves to 127\.0\.0\.3, which is a loopback address/)
  assert.deepEqual([connects.tried().length, allowed.connections(), refused.connections()], [1, 1, 0])
})

test('the hosts file is used; its addresses with a zone, which cannot be checked, are ignored', () => {
  const text = '# comment\n127.0.0.1 localhost Here # more\nfe80::1%lo0 localhost\r\n::1\tlocalhost\nnonsense here\n10.0.0.1'
  assert.deepEqual(
    parseHosts(text),
    new Map([
      ['localhost', ['127.0.0.1', '::1']],
      ['here', ['127.0.0.1']],
    ]),
  )
})
