import assert from 'node:assert/strict'
import { test } from 'node:test'
import { databasesOf } from '../stage/databases.ts'
import { demoApp, otherApp, SECRET, type Stage, setStage } from '../stage/postern.ts'
import { answerWith, startReceiver } from '../stage/receiver.ts'

const flavours = databasesOf(import.meta)

const list = async (stage: Stage, query = '') => {
  const answer = await stage.operator('GET', `/operator/webhooks${query}`)
  assert.equal(answer.status, 200, answer.text)
  return answer.body
}

for (const flavour of flavours) {
  test(`${flavour}: operators see every webhook with its app, its last challenge, why it is invalid, and its backlog`, async () => {
    await using stage = await setStage({ flavour })
    await using one = await startReceiver([demoApp.consumer_secret])
    await using two = await startReceiver([otherApp.consumer_secret])
    const { token, webhookId } = await stage.connect(one)
    const otherToken = await stage.token(otherApp)
    const otherId = await stage.register(two.url, otherToken)
    const [first, second] = (await list(stage)).data
    assert.deepEqual(first, {
      id: webhookId,
      app_id: demoApp.id,
      url: one.url,
      valid: true,
      created_at: first.created_at,
      last_challenge: { at: first.last_challenge.at, result: 'passed', failure: null },
      backlog: 0,
    })
    assert.deepEqual([second.id, second.app_id, second.url, second.valid], [otherId, otherApp.id, two.url, true])
    assert.ok(Math.abs(Date.parse(first.last_challenge.at) - stage.clock.now()) < 60_000)

    one.answerPosts(500, { 'retry-after': '3600' })
    await stage.publish({ n: 1 }, { n: 2 })
    await stage.deliveriesWhen('state=retrying', (found) => found.length === 2)
    one.intercept = undefined
    one.hold('POST')
    await stage.publish(...Array.from({ length: 6 }, (_, n) => ({ n })))
    await one.holding(4)
    assert.equal((await list(stage, `?app_id=${demoApp.id}`)).data[0].backlog, 8)

    two.intercept = (_request, response) => answerWith(response, 503)
    assert.equal((await stage.api('PUT', `/2/webhooks/${otherId}`, { token: otherToken })).status, 400)
    const { data: invalid } = await list(stage, '?valid=false')
    assert.deepEqual(
      invalid.map((webhook: Record<string, { result: string }>) => [webhook.id, webhook.valid, webhook.last_challenge!.result]),
      [[otherId, false, 'failed']],
    )
    assert.match(invalid[0].last_challenge.failure, /503/)
    assert.deepEqual(
      (await list(stage, '?valid=true')).data.map(({ id }: { id: string }) => id),
      [webhookId],
    )
    one.letGo()
    await one.received(6)
    await stage.until(async () => (await list(stage, '?valid=true')).data[0].backlog === 2)
    two.intercept = undefined
    assert.equal((await stage.api('PUT', `/2/webhooks/${otherId}`, { token: otherToken })).status, 200)
    assert.equal((await list(stage, `?app_id=${otherApp.id}`)).data[0].last_challenge.failure, null)
    assert.equal((await stage.api('DELETE', `/2/webhooks/${webhookId}`, { token })).status, 200)
    assert.equal((await list(stage)).data.length, 1)
  })

  test(`${flavour}: webhooks are listed page by page`, async () => {
    const webhooks = [1, 2, 3, 4, 5].map((n) => ({
      id: `100${n}`,
      consumer_key: demoApp.consumer_key,
      url: `https://hooks.example.com/${n}`,
      valid: n !== 2,
    }))
    await using stage = await setStage({ flavour, seed: { apps: [demoApp], webhooks } })
    const ids: string[] = []
    let query = '?max_results=2'
    for (let pages = 0; pages < 3; pages++) {
      const { data, meta } = await list(stage, query)
      ids.push(...data.map(({ id }: { id: string }) => id))
      query = `?max_results=2&after=${meta.next_after}`
    }
    assert.deepEqual(ids, ['1001', '1002', '1003', '1004', '1005'])
    const [invalid] = (await list(stage, '?valid=false')).data
    assert.deepEqual([invalid.id, invalid.last_challenge, invalid.backlog], ['1002', null, 0])
  })

  test(`${flavour}: the hourly challenge that passes is the last one, and one that fails says why`, async () => {
    await using stage = await setStage({ flavour })
    await using receiver = await startReceiver([demoApp.consumer_secret])
    await stage.connect(receiver)
    const [before] = (await list(stage)).data
    stage.clock.advance(3_600_000)
    await stage.until(async () => Date.parse((await list(stage)).data[0].last_challenge.at) > Date.parse(before.last_challenge.at))
    receiver.intercept = (request, response) => request.method === 'GET' && answerWith(response, 418)
    stage.clock.advance(3_600_000)
    const after = await stage.until(async () => {
      const [webhook] = (await list(stage)).data
      return !webhook.valid && webhook
    })
    assert.equal(after.last_challenge.result, 'failed')
    assert.match(after.last_challenge.failure, /418/)
  })
}

test('in production operators see the real reason of a failed challenge, which its app is not told', async () => {
  const environment = { POSTERN_PROFILE: 'production', POSTERN_SECRET: SECRET, POSTERN_OPERATOR_PORT: '0' }
  const app = { ...demoApp, consumer_key: 'consumer-key-in-production', consumer_secret: 'consumer-secret-in-production' }
  const webhooks = [{ id: '77', consumer_key: app.consumer_key, url: 'https://10.0.0.1/hook' }]
  await using stage = await setStage({ environment, seed: { apps: [app], webhooks } })
  stage.clock.advance(3_600_000)
  const webhook = await stage.until(async () => {
    const [found] = (await list(stage)).data
    return !found.valid && found
  })
  assert.match(webhook.last_challenge.failure, /10\.0\.0\.1/)
  assert.doesNotMatch(webhook.last_challenge.failure, /address not reachable/)
})

for (const flavour of flavours)
  test(`${flavour}: deliveries carry the app, the URL and the beginning of each response, printable and without a secret`, async () => {
    await using stage = await setStage({ flavour, environment: { POSTERN_RETRY_PLAN: '1h' } })
    await using receiver = await startReceiver([demoApp.consumer_secret])
    const { token, webhookId } = await stage.connect(receiver)
    const bodies: (string | Buffer)[] = [
      `<h1>Out of order</h1>\r\n\u0000\u001b[31m\u202e${'é'.repeat(300)}`,
      Buffer.from([0xff, 0xfe, 0x41]),
      `secret is ${demoApp.consumer_secret}!`,
      '',
    ]
    let next = 0
    receiver.intercept = (request, response) => {
      if (request.method !== 'POST') return false
      request.resume().once('end', () => response.writeHead(next === 3 ? 204 : 500).end(bodies[next++]))
      return true
    }
    for (const n of bodies.keys()) {
      await stage.publish({ n })
      await stage.deliveriesWhen('', (found) => found.filter(({ attempts }) => attempts.length === 1).length === n + 1)
    }
    const { data } = (await stage.operator('GET', `/operator/deliveries?webhook_id=${webhookId}`)).body
    for (const delivery of data) assert.deepEqual([delivery.app_id, delivery.url], [demoApp.id, receiver.url])
    const responses = data.map(({ attempts }: { attempts: { response: string }[] }) => attempts[0]!.response).reverse()
    const beginning = '<h1>Out of order</h1>  \ufffd\ufffd[31m\ufffd'
    assert.deepEqual(responses, [
      beginning + 'é'.repeat(200 - beginning.length),
      '\ufffd\ufffdA',
      '(withheld: the response holds a consumer secret)',
      '',
    ])
    await stage.api('DELETE', `/2/webhooks/${webhookId}`, { token })
    const [left] = (await stage.operator('GET', `/operator/deliveries?webhook_id=${webhookId}`)).body.data
    assert.deepEqual([left.webhook_id, left.app_id, left.url], [webhookId, null, null])
  })

test('an operator challenges a webhook on behalf of its app: one that fails is invalid and says why, one that passes is valid again', async () => {
  await using stage = await setStage()
  await using receiver = await startReceiver([demoApp.consumer_secret])
  const { webhookId } = await stage.connect(receiver)
  const challenge = (id = webhookId) => stage.operator('POST', `/operator/webhooks/${id}/challenge`, {})
  const { valid, failure, steps } = (await challenge()).body.data
  assert.deepEqual([valid, failure], [true, null])
  assert.deepEqual(
    steps.map(({ step, outcome }: Record<string, string>) => [step, outcome]),
    ['resolve', 'address', 'connect', 'request', 'status', 'body', 'signature'].map((step) => [step, 'ok']),
  )
  receiver.intercept = (_request, response) => answerWith(response, 503)
  const failed = await challenge()
  assert.deepEqual([failed.status, failed.body.data.valid], [200, false])
  assert.match(failed.body.data.failure, /503/)
  assert.equal((await list(stage)).data[0].valid, false)
  receiver.intercept = undefined
  assert.equal((await challenge()).body.data.valid, true)
  assert.equal((await list(stage)).data[0].valid, true)
  assert.equal((await challenge('5')).status, 404)
  await stage.operator('PATCH', `/operator/apps/${demoApp.id}`, { suspended: true })
  assert.equal((await challenge()).status, 409)
})

test('an operator sees each challenge that decided about a webhook, with its reason, and none of a webhook that never was', async () => {
  await using stage = await setStage()
  await using receiver = await startReceiver([demoApp.consumer_secret])
  const token = await stage.token()
  const webhookId = await stage.register(receiver.url, token)
  receiver.intercept = (_request, response) => answerWith(response, 503)
  await stage.operator('POST', `/operator/webhooks/${webhookId}/challenge`)
  receiver.intercept = undefined
  await stage.operator('POST', `/operator/webhooks/${webhookId}/challenge`)
  const { body } = await stage.operator('GET', `/operator/webhooks/${webhookId}/challenges`)
  assert.deepEqual(
    body.data.map(({ result, failure }: { result: string; failure: string | null }) => [result, failure?.includes('503') ?? null]),
    [
      ['passed', null],
      ['failed', true],
      ['passed', null],
    ],
  )
  assert.equal(body.meta.result_count, 3)
  assert.equal((await stage.operator('GET', '/operator/webhooks/1997712707928100864/challenges')).status, 404)
})
