import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { test } from 'node:test'
import { formatMinute } from '../../src/endpoints/webhooks/start-replay.ts'
import { demoApp, otherApp, SECRET, type Stage, setStage } from '../stage/postern.ts'
import { answerWith, startReceiver } from '../stage/receiver.ts'

type Answer = (response: ServerResponse, token: string, query: string) => void

const hmac = (key: string, message: string, encoding: 'base64' | 'hex') => createHmac('sha256', key).update(message).digest(encoding)

const answerJson = (response: ServerResponse, value: unknown) =>
  void response.writeHead(200, { 'content-type': 'application/json' }).end(typeof value === 'string' ? value : JSON.stringify(value))

const { consumer_secret: secret, consumer_key: key } = demoApp

/** Each way in which an endpoint gets its challenge wrong, and what the integrator is told. */
const wrongAnswers: Record<string, [Answer, RegExp]> = {
  'a status other than 200': [(response) => void answerWith(response, 404), /\b404\b/],
  'a redirect': [(response) => void answerWith(response, 302, { location: 'https://elsewhere.example/' }), /redirect/],
  'a body that is not JSON': [(response) => answerJson(response, '<html>'), /not JSON/],
  'no response_token': [(response) => answerJson(response, { token: 'x' }), /response_token/],
  'the prefix missing': [(response, token) => answerJson(response, { response_token: hmac(secret, token, 'base64') }), /sha256=/],
  'hex instead of base64': [(response, token) => answerJson(response, { response_token: `sha256=${hmac(secret, token, 'hex')}` }), /hex/],
  'another key': [
    (response, token) => answerJson(response, { response_token: `sha256=${hmac(key, token, 'base64')}` }),
    /consumer (key|secret)/,
  ],
  'the whole query signed': [
    (response, _token, query) => answerJson(response, { response_token: `sha256=${hmac(secret, query, 'base64')}` }),
    /query/,
  ],
}

const register = async (stage: Stage, url: string, token: string) => {
  const answer = await stage.api('POST', '/2/webhooks', { token, json: { url } })
  assert.equal(answer.status, 400, answer.text)
  return answer.body.errors[0].message as string
}

for (const [name, [answer, says]] of Object.entries(wrongAnswers)) {
  test(`a callback that answers ${name} is rejected with the reason, and leaves no webhook`, async () => {
    await using stage = await setStage()
    await using receiver = await startReceiver([secret])
    const token = await stage.token()
    receiver.intercept = (request, response) => {
      const query = request.url!.split('?')[1]!
      answer(response, new URLSearchParams(query).get('crc_token')!, query)
      return true
    }
    const message = await register(stage, receiver.url, token)
    assert.match(message, /^CrcValidationFailed: /)
    assert.match(message, says)
    assert.ok(!message.includes(secret), 'no secret in a message')
    assert.deepEqual((await stage.api('GET', '/2/webhooks', { token })).body, { data: [], meta: { result_count: 0 } })
  })
}

test('a registration or replay that a challenge refuses leaves a warning with host, app and reason, and no secret, in the log', async () => {
  await using stage = await setStage()
  await using receiver = await startReceiver([secret], '/hook?key=hidden-in-the-url')
  const { token, webhookId } = await stage.connect(receiver)
  receiver.intercept = (_request, response) => {
    answerJson(response, { token: secret })
    return true
  }
  await register(stage, receiver.url.replace('/hook', '/other-hook'), token)
  const minute = formatMinute(stage.clock.now())
  const window = { from_date: formatMinute(stage.clock.now() - 3_600_000), to_date: minute }
  const replay = await stage.api('POST', '/2/webhooks/replay', { token, json: { webhook_id: webhookId, ...window } })
  assert.match(replay.text, /CrcValidationFailed/)
  const lines = stage.log.filter(({ msg }) => / refused: the challenge failed$/.test(msg))
  assert.deepEqual(
    lines.map(({ level, msg, app_id, host }) => [level, msg, app_id, host]),
    ['registration', 'replay'].map((what) => [40, `${what} refused: the challenge failed`, demoApp.id, new URL(receiver.url).host]),
  )
  for (const { reason } of lines) assert.match(reason, /no member response_token/)
  for (const hidden of [secret, 'hidden-in-the-url', token]) assert.ok(!JSON.stringify(lines).includes(hidden), hidden)
})

test('in production the warning has the reason that the app is not told', async () => {
  const app = { ...demoApp, consumer_key: 'consumer-key-in-production', consumer_secret: 'consumer-secret-in-production' }
  const environment = { POSTERN_PROFILE: 'production', POSTERN_SECRET: SECRET, POSTERN_OPERATOR_PORT: '0' }
  await using stage = await setStage({ environment, seed: { apps: [app] } })
  assert.equal(await register(stage, 'https://10.0.0.1/hook', await stage.token(app)), 'CrcValidationFailed: address not reachable')
  const [line] = await stage.logged('registration refused: the challenge failed', 1)
  assert.equal(line.host, '10.0.0.1')
  assert.doesNotMatch(line.reason, /address not reachable/)
})

test('a callback that cannot be reached is rejected with the reason', async () => {
  await using stage = await setStage()
  const token = await stage.token()
  const closed = await startReceiver([secret])
  await closed[Symbol.asyncDispose]()
  assert.match(await register(stage, closed.url, token), /^CrcValidationFailed: .*refused/)
  assert.match(await register(stage, 'https://nowhere.invalid/hook', token), /^CrcValidationFailed: .*nowhere\.invalid/)
  assert.match(
    await register(stage, 'https://10.0.0.1/hook', token),
    /^CrcValidationFailed: .*10\.0\.0\.1.*not allowed|^CrcValidationFailed: .*address/,
  )
  assert.match(await register(stage, `${stage.origins.base_url}/hook`, token), /^CrcValidationFailed: /)
})

test('a callback that answers too late is rejected after 3 s with what it was waiting for', async () => {
  await using stage = await setStage()
  await using receiver = await startReceiver([secret])
  const token = await stage.token()
  receiver.intercept = () => true
  const refused = register(stage, receiver.url, token)
  await receiver.when(() => receiver.challenges === 1)
  stage.clock.advance(3_000)
  assert.match(await refused, /^CrcValidationFailed: .*3000 ms/)
})

test('the URL is checked before anything is sent: format, then duplicate, then limit, then challenge', async () => {
  await using stage = await setStage({ seed: { apps: [{ ...demoApp, webhook_limit: 1 }, otherApp] } })
  await using receiver = await startReceiver([secret])
  const token = await stage.token()
  const base = receiver.url.replace('/webhook', '')
  assert.match(await register(stage, `${receiver.url}#part`, token), /^UrlValidationFailed: .*fragment/)
  assert.match(await register(stage, 'https://example.com:443/', token), /^UrlValidationFailed: .*port/)
  assert.match(await register(stage, 'http://example.com/', token), /^UrlValidationFailed: .*https/)
  assert.equal(receiver.challenges, 0)
  const id = await stage.register(receiver.url, token)
  assert.match(
    await register(stage, receiver.url.replace('http:', 'HTTP:'), token),
    new RegExp(`^DuplicateUrlFailed: .* as webhook ${id}$`),
  )
  assert.match(await register(stage, `${base}/other`, token), /^WebhookLimitExceeded: /)
  assert.equal(receiver.challenges, 1)
})

test('twenty concurrent registrations of one URL leave one webhook', async () => {
  await using stage = await setStage()
  await using receiver = await startReceiver([secret])
  const token = await stage.token()
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => stage.api('POST', '/2/webhooks', { token, json: { url: receiver.url } })),
  )
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, ...Array(19).fill(400)])
  assert.equal((await stage.api('GET', '/2/webhooks', { token })).body.meta.result_count, 1)
})

test('an app cannot see, challenge or delete the webhook of another, or distinguish it from one that does not exist', async () => {
  await using stage = await setStage()
  await using receiver = await startReceiver([secret])
  const webhookId = await stage.register(receiver.url, await stage.token())
  const foreign = await stage.token(otherApp)
  assert.equal((await stage.api('GET', '/2/webhooks', { token: foreign })).body.meta.result_count, 0)
  for (const method of ['PUT', 'DELETE']) {
    const answers = await Promise.all([webhookId, '42', 'no-id'].map((id) => stage.api(method, `/2/webhooks/${id}`, { token: foreign })))
    assert.deepEqual(
      answers.map(({ status }) => status),
      [400, 400, 400],
    )
    assert.equal(new Set(answers.map(({ text }) => text)).size, 1)
    assert.match(answers[0]!.body.errors[0].message, /^WebhookIdInvalid: /)
  }
})
