import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { test } from 'node:test'
import { createChallenger } from '../../src/delivery/challenge/challenger.ts'
import { createSender } from '../../src/delivery/send/sender.ts'
import { createClock } from '../../src/lib/clock.ts'
import { signature } from '../../src/lib/crypto.ts'
import { type Callback, startCallback } from '../stage/callback-servers.ts'
import { certificateAuthority, selfSigned } from '../stage/certificates.ts'
import { freePort } from '../stage/free-port.ts'

const SECRET = 'the-consumer-secret-of-this-app'

const FORM = 'sha256= and the base64 of HMAC-SHA256, with the consumer secret of the app as the key, over the value of crc_token'

interface Options {
  allow?: string[]
  ca?: string
  secrets?: [string, ...string[]]
}

/** Challenges a URL twice; tells the steps of the second time. */
async function stepsOf(url: string, { allow = ['127.0.0.0/8', '::1/128'], ca, secrets = [SECRET] }: Options = {}) {
  const clock = createClock()
  const sender = createSender({ clock, allow, refuse: () => [], ca })
  const challenger = createChallenger({ sender, clock, headerName: 'x-service-webhooks-signature', hideRestricted: false })
  await challenger.challenge({ url, secrets, inSteps: true })
  const { steps = [] } = await challenger.challenge({ url, secrets, inSteps: true })
  await sender.close()
  for (const { ms } of steps) assert.ok(Number.isInteger(ms) && ms >= 0)
  return steps.map(({ step, outcome, says, mend }) => [step, outcome, says, ...(mend === undefined ? [] : [mend])])
}

type Answer = (response: ServerResponse, token: string) => void

const answering = (answer: Answer, certificate?: Parameters<typeof startCallback>[1]) =>
  startCallback(({ target }, response) => answer(response, new URL(target, 'http://callback').searchParams.get('crc_token')!), certificate)

const json =
  (make: (token: string) => string): Answer =>
  (response, token) =>
    void response.end(JSON.stringify({ response_token: make(token) }))

const right = json((token) => signature(SECRET, token))

const lastQuery = ({ requests, origin }: Callback) => `${origin}${requests.at(-1)!.target}`

test('a challenge that passes is told in steps, from the address to the signature, over a connection of its own', async () => {
  await using callback = await answering(right)
  const steps = await stepsOf(`${callback.origin}/hook`)
  assert.deepEqual(steps, [
    ['resolve', 'ok', '127.0.0.1 is an address already'],
    ['address', 'ok', 'callbacks may reach it'],
    ['connect', 'ok', callback.origin.slice('http://'.length)],
    ['request', 'ok', `GET ${lastQuery(callback)}, signed in x-service-webhooks-signature`],
    ['status', 'ok', '200'],
    ['body', 'ok', 'a JSON object with response_token'],
    ['signature', 'ok', `response_token is right: ${FORM}`],
  ])
  assert.equal(callback.connections(), 2)
})

test('over TLS the certificate is a step, and a name is resolved', async () => {
  const issuer = await certificateAuthority('Trusted')
  await using callback = await answering(right, await selfSigned({ issuer }))
  const steps = await stepsOf(callback.origin.replace('127.0.0.1', 'localhost'), { ca: issuer.cert })
  assert.deepEqual(steps[0], ['resolve', 'ok', 'the name localhost has an address'])
  assert.deepEqual(steps[3], ['tls', 'ok', 'the certificate for localhost is accepted'])
  assert.equal(steps.length, 8)
  const untrusted = await stepsOf(callback.origin)
  assert.deepEqual(
    untrusted.map(([step]) => step),
    ['resolve', 'address', 'connect', 'tls'],
  )
  assert.match(untrusted.at(-1)![2]!, /^the certificate of 127\.0\.0\.1 comes from an? /)
})

test('the steps end where the challenge fails, with what was found', async () => {
  const failing: [answer: Answer, step: string, says: RegExp][] = [
    [(response) => void response.writeHead(405).end(), 'status', /^the callback answered 405 \(Method Not Allowed\)/],
    [(response) => void response.destroy(), 'status', /^the connection was closed by/],
    [(response) => void response.end('<h1>Hello</h1>'), 'body', /^the answer is not JSON/],
    [(response) => void response.end('{}'), 'body', /^the answer has no member response_token/],
    [json((token) => createHmac('sha256', SECRET).update(token).digest('hex')), 'signature', /is written in hex, not in base64$/],
  ]
  for (const [answer, step, says] of failing) {
    await using callback = await answering(answer)
    const last = (await stepsOf(callback.origin)).at(-1)!
    assert.deepEqual([last[0], last[1]], [step, 'mend'])
    assert.match(last[2]!, says)
  }
  assert.deepEqual(
    (await stepsOf(`http://127.0.0.1:${await freePort()}`)).map(([step, outcome]) => [step, outcome]),
    [
      ['resolve', 'ok'],
      ['address', 'ok'],
      ['connect', 'mend'],
    ],
  )
  const refused = await stepsOf('http://127.0.0.1:1', { allow: [] })
  assert.deepEqual(refused.at(-1)!.slice(0, 2), ['address', 'mend'])
  const unknown = await stepsOf('https://no-such-host.invalid')
  assert.deepEqual(
    unknown.map(([step, outcome]) => [step, outcome]),
    [['resolve', 'mend']],
  )
})

test('a wrong signature is told with the form that was expected and the token of the challenge, without the secret or the right token', async () => {
  const tokens: string[] = []
  await using callback = await answering(
    json(
      (token) =>
        `sha256=${createHmac('sha256', 'another')
          .update(String(tokens.push(token)))
          .digest('base64')}`,
    ),
  )
  const steps = await stepsOf(callback.origin)
  const [, , says, mend] = steps.at(-1)!
  assert.match(says!, /^response_token is signed with another key: /)
  assert.equal(mend, `Expected is ${FORM}, here ${tokens.at(-1)}.`)
  const told = JSON.stringify(steps)
  for (const hidden of [SECRET, ...tokens.map((token) => signature(SECRET, token))]) assert.ok(!told.includes(hidden))
})

test('an answer that is signed with a former secret says so', async () => {
  await using callback = await answering(right)
  const steps = await stepsOf(callback.origin, { secrets: ['the-new-consumer-secret', SECRET] })
  assert.equal(steps.at(-1)![2], `response_token is right: ${FORM}, signed with a former secret that is still valid`)
})
