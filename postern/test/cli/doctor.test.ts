import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { after, test } from 'node:test'
import { freePort } from '../../../server/test/stage/free-port.ts'
import { demoApp, setStage } from '../../../server/test/stage/postern.ts'
import { startReceiver } from '../../../server/test/stage/receiver.ts'
import { endCommands, runCommand } from './command.ts'

after(endCommands)

const SECRET = 'consumer-secret-of-the-callback'

interface Step {
  step: string
  outcome: string
  ms: number
  says: string
  mend?: string
}

/** What the doctor says of a callback, without a server. */
async function examine(url: string, ...args: string[]): Promise<{ code: number | null; healthy: boolean; steps: Step[] }> {
  const nowhere = `http://127.0.0.1:${await freePort()}`
  const { code, stdout, stderr } = await runCommand(['doctor', url, '--secret', SECRET, '--json', ...args], { url: nowhere })
  assert.equal(stderr, '')
  return { code, ...JSON.parse(stdout).data }
}

const stepOf = (steps: Step[], name: string) => steps.find(({ step }) => step === name)!

type Answer = (request: { method: string; query: URLSearchParams; body: Buffer; header: (name: string) => string }) => {
  status?: number
  body?: string
}

/** A callback that answers as a test says. */
async function startCallback(answer: Answer) {
  const server = createServer(async (request, response) => {
    const query = new URL(request.url!, 'http://localhost').searchParams
    const header = (name: string) => String(request.headers[name])
    const { status = 200, body = '' } = answer({ method: request.method!, query, body: await buffer(request), header })
    response.writeHead(status).end(body)
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhook`,
    [Symbol.asyncDispose]: () =>
      new Promise<void>((closed) => {
        server.close(() => closed())
        server.closeAllConnections()
      }),
  }
}

const hmac = (text: string | Buffer, encoding: 'base64' | 'hex' = 'base64') => createHmac('sha256', SECRET).update(text).digest(encoding)

/** A callback that does everything right but answers challenges with this token. */
const withToken =
  (token: (crc: string) => string): Answer =>
  ({ method, query, body, header }) =>
    method === 'GET'
      ? { body: JSON.stringify({ response_token: token(query.get('crc_token')!) }) }
      : { status: header('x-service-webhooks-signature') === `sha256=${hmac(body)}` ? 200 : 403 }

const STEPS = [
  ...['url', 'resolve', 'connect', 'challenge', 'challenge again', 'wrong challenge', 'event', 'duplicate'],
  ...['wrong signature', 'altered body', 'no signature'],
]

test('a callback that does everything right is ready: each step says so with its milliseconds', async () => {
  await using receiver = await startReceiver([SECRET])
  const { code, healthy, steps } = await examine(receiver.url)
  assert.deepEqual([code, healthy, steps.map(({ step }) => step)], [0, true, STEPS])
  for (const { outcome, ms, step } of steps) assert.deepEqual([outcome, Number.isInteger(ms)], ['ok', true], step)
  assert.equal(receiver.posts, 5)
})

test('a wrong response token is told with the mistake that makes it', async () => {
  const mistakes: [token: (crc: string) => string, mistake: string][] = [
    [(crc) => hmac(crc), 'lacks the prefix sha256='],
    [(crc) => `sha256=${hmac(crc, 'hex')}`, 'is written in hex, not in base64'],
    [
      (crc) => `sha256=${createHmac('sha256', crc).update(SECRET).digest('base64')}`,
      'has key and message exchanged: the consumer secret is the key, crc_token the message',
    ],
    [
      (crc) => `sha256=${createHmac('sha256', `${SECRET}\n`).update(crc).digest('base64')}`,
      'is signed with the consumer secret and a line break: trim what you read from a file',
    ],
    [(crc) => crc, 'is the crc_token itself, unsigned: answer sha256= and the base64 of its HMAC-SHA256'],
    [() => 'sha256=!', 'is no digest: it must be sha256= and the base64 of HMAC-SHA256(consumer secret, crc_token)'],
  ]
  for (const [token, mistake] of mistakes) {
    await using callback = await startCallback(withToken(token))
    const { code, steps } = await examine(callback.url)
    const { outcome, says, mend } = stepOf(steps, 'challenge')
    assert.deepEqual([code, outcome, says], [1, 'mend', `response_token ${mistake}`])
    assert.match(mend!, /^Expected is sha256= and the base64 of HMAC-SHA256, with the consumer secret of the app as the key/)
  }
})

test('a callback with another secret is told so first, whether it answers challenges of others or refuses them', async () => {
  await using answering = await startReceiver(['another-secret-of-the-callback'])
  const { code, steps } = await examine(answering.url)
  assert.equal(code, 1)
  const refused = stepOf(steps, 'challenge')
  assert.match(refused.mend!, /^Compare the secrets: the challenge is signed with that of --secret, and the callback must know the same\.$/)
  const others = (crc: string) => `sha256=${createHmac('sha256', 'another-secret-of-the-callback').update(crc).digest('base64')}`
  await using callback = await startCallback(withToken(others))
  const { says, mend } = stepOf((await examine(callback.url)).steps, 'challenge')
  assert.match(says, /^response_token is signed with another key/)
  assert.match(mend!, /^Compare the secrets: /)
})

test('a callback that verifies nothing is told so at every event that nobody signed', async () => {
  await using callback = await startCallback(({ method, query }) =>
    method === 'GET' ? { body: JSON.stringify({ response_token: `sha256=${hmac(query.get('crc_token')!)}` }) } : {},
  )
  const { code, steps } = await examine(callback.url)
  assert.equal(code, 1)
  for (const name of ['wrong signature', 'altered body', 'no signature'])
    assert.deepEqual([name, stepOf(steps, name).outcome, /Verify the signature/.test(stepOf(steps, name).mend!)], [name, 'mend', true])
})

test('a callback that refuses right events is told which header it must read; --dialect x names the other one', async () => {
  await using callback = await startCallback(withToken((crc) => `sha256=${hmac(crc)}`))
  const { steps } = await examine(callback.url, '--dialect', 'x')
  assert.match(stepOf(steps, 'event').mend!, /the header x-twitter-webhooks-signature read/)
  assert.equal((await examine(callback.url)).healthy, true)
})

test('an answer to a challenge that is kept and one that is not JSON are found', async () => {
  let first: string | undefined
  await using keeping = await startCallback(withToken((crc) => (first ??= `sha256=${hmac(crc)}`)))
  const { steps } = await examine(keeping.url)
  assert.deepEqual([stepOf(steps, 'challenge').outcome, stepOf(steps, 'challenge again').outcome], ['ok', 'mend'])
  await using page = await startCallback(() => ({ body: '<h1>Hello</h1>' }))
  assert.match(stepOf((await examine(page.url)).steps, 'challenge').says, /not JSON: .*<h1>Hello/)
  await using closed = await startCallback(() => ({ status: 405 }))
  assert.match(stepOf((await examine(closed.url)).steps, 'challenge').says, /answered 405 .*the challenge is a GET, the events are POSTs/)
})

test('what cannot be reached ends the examination with what to do', async () => {
  const { code, steps } = await examine(`http://127.0.0.1:${await freePort()}/webhook`)
  assert.deepEqual([code, steps.map(({ step }) => step)], [1, ['url', 'resolve', 'connect']])
  assert.match(steps[2]!.says, /nothing listens.*ECONNREFUSED/)
  const { steps: unknown } = await examine('https://no-such-host.invalid/webhook')
  assert.deepEqual(
    unknown.map(({ step, outcome }) => [step, outcome]),
    [
      ['url', 'ok'],
      ['resolve', 'mend'],
    ],
  )
})

test('a URL that the real service would refuse is told, and plain http on a port of TLS', async () => {
  const { steps } = await examine('http://no-such-host.invalid:8080/webhook')
  assert.match(steps[0]!.mend!, /Use https/)
  await using callback = await startCallback(() => ({}))
  const { steps: plain } = await examine(callback.url.replace('http:', 'https:').replace('127.0.0.1', 'localhost'))
  assert.match(plain.at(-1)!.mend!, /speaks plain http/)
})

test('for a person it draws one line a step and sums up', async () => {
  await using receiver = await startReceiver([SECRET])
  const { stdout, code } = await runCommand(['doctor', receiver.url], {
    environment: { POSTERN_CONSUMER_SECRET: SECRET, POSTERN_PORT: '1' },
  })
  assert.equal(code, 0)
  assert.match(stdout, /^✓ challenge +\d+ ms {2}the response token is right$/m)
  assert.match(stdout, /The callback is ready\.\n$/)
  assert.doesNotMatch(stdout, new RegExp(`${SECRET}|\\u001b`))
})

test('with the id of a webhook the server challenges it, and the doctor prints the steps that it tells', async () => {
  await using stage = await setStage()
  await using receiver = await startReceiver([demoApp.consumer_secret])
  const { webhookId } = await stage.connect(receiver)
  const where = { url: stage.origins.base_url, environment: { POSTERN_OPERATOR_URL: stage.origins.operator_url } }
  const { code, stdout } = await runCommand(['doctor', webhookId, '--json'], where)
  const { healthy, steps } = JSON.parse(stdout).data
  assert.deepEqual([code, healthy], [0, true])
  assert.deepEqual(
    steps.map(({ step, outcome }: Step) => [step, outcome]),
    ['resolve', 'address', 'connect', 'request', 'status', 'body', 'signature'].map((step) => [step, 'ok']),
  )
  receiver.intercept = (_request, response) => Boolean(response.writeHead(200).end('{"response_token":"sha256=no"}'))
  const failed = await runCommand(['doctor', webhookId], where)
  assert.equal(failed.code, 1)
  assert.match(failed.stdout, /^✗ signature .*response_token .*\n +Expected is sha256= and the base64 of HMAC-SHA256.*\n1 to mend\.\n$/m)
  assert.ok(!failed.stdout.includes(demoApp.consumer_secret))
})
