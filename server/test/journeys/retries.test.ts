import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { test } from 'node:test'
import { databasesOf } from '../stage/databases.ts'
import { demoApp, setStage } from '../stage/postern.ts'
import { answerWith, startReceiver } from '../stage/receiver.ts'

/** Levels of log lines. */
const [DEBUG, WARN] = [20, 40]

for (const flavour of databasesOf(import.meta)) {
  test(`${flavour}: a delivery that fails is retried by the plan and then given up`, async () => {
    // Without jitter no retry comes by itself, so none is in flight when the clock is moved.
    await using stage = await setStage({ flavour, environment: { POSTERN_RETRY_PLAN: '5s,30s,2m', POSTERN_RETRY_JITTER: 'none' } })
    await using receiver = await startReceiver([demoApp.consumer_secret])
    await stage.connect(receiver)
    receiver.answerPosts(500)
    const [uuid] = await stage.publish({})
    for (const [index, waitMs] of [5_000, 30_000, 120_000].entries()) {
      await stage.deliveriesWhen(`event_uuid=${uuid}`, ([found]) => found.attempts.length > index && found.state === 'retrying')
      stage.clock.advance(waitMs)
      await receiver.when(() => receiver.posts === index + 2)
    }
    const [given] = await stage.deliveriesWhen(`event_uuid=${uuid}`, ([found]) => found.state === 'given_up')
    assert.equal(given.attempts.length, 4)
    assert.deepEqual([given.attempts[3].status, given.next_try_at], [500, null])
  })

  test(`${flavour}: a retry survives a restart and is delivered after it`, async () => {
    await using stage = await setStage({ flavour })
    await using receiver = await startReceiver([demoApp.consumer_secret])
    await stage.connect(receiver)
    receiver.answerPosts(500)
    const [uuid] = await stage.publish({})
    await stage.deliveriesWhen(`event_uuid=${uuid}`, ([found]) => found.state === 'retrying')
    receiver.intercept = undefined
    await stage.stop()
    stage.clock.advance(6_000)
    await stage.start()
    assert.equal((await receiver.received(1))[0]?.data?.event_uuid, uuid)
    const [delivered] = await stage.deliveriesWhen(`event_uuid=${uuid}`, ([found]) => found.state === 'delivered')
    assert.deepEqual(
      delivered.attempts.map((attempt: { outcome: string }) => attempt.outcome),
      ['failed', 'delivered'],
    )
  })
}

test('a Retry-After is respected', async () => {
  await using stage = await setStage()
  await using receiver = await startReceiver([demoApp.consumer_secret])
  await stage.connect(receiver)
  receiver.answerPosts(429, { 'retry-after': '600' })
  const [uuid] = await stage.publish({})
  const [found] = await stage.deliveriesWhen(`event_uuid=${uuid}`, ([delivery]) => delivery.state === 'retrying')
  const waitMs = Date.parse(found.next_try_at) - Date.parse(found.attempts[0].at)
  assert.ok(waitMs >= 600_000 && waitMs < 660_000, `${waitMs} ms`)
})

test('a redirect is a failure and is not followed', async () => {
  await using stage = await setStage({ environment: { POSTERN_RETRY_PLAN: '1h' } })
  await using receiver = await startReceiver([demoApp.consumer_secret])
  await using elsewhere = await startReceiver([demoApp.consumer_secret])
  await stage.connect(receiver)
  receiver.answerPosts(307, { location: elsewhere.url })
  const [uuid] = await stage.publish({})
  const [found] = await stage.deliveriesWhen(`event_uuid=${uuid}`, ([delivery]) => delivery.state === 'retrying')
  assert.match(found.attempts[0].error, /redirect/)
  assert.equal(elsewhere.posts, 0)
})

test('a 410 starts a challenge at once, which decides', async () => {
  await using stage = await setStage()
  await using receiver = await startReceiver([demoApp.consumer_secret])
  const { token } = await stage.connect(receiver)
  receiver.intercept = (_request, response) => answerWith(response, 410)
  await stage.publish({})
  await receiver.when(() => receiver.challenges === 2)
  await stage.until(async () => !(await stage.api('GET', '/2/webhooks', { token })).body.data[0].valid)
})

test('a callback that hangs delays no other, and has at most 4 deliveries in flight', async () => {
  await using stage = await setStage()
  await using hanging = await startReceiver([demoApp.consumer_secret])
  await using healthy = await startReceiver([demoApp.consumer_secret])
  const token = await stage.token()
  await stage.subscribe(await stage.register(hanging.url, token), token)
  await stage.subscribe(await stage.register(healthy.url, token), token)
  hanging.intercept = (request) => request.method === 'POST'
  await stage.publish(...Array.from({ length: 1000 }, (_, n) => ({ n })))
  await healthy.received(1000)
  assert.equal(hanging.posts, 4)
})

test('deleting a webhook cancels its retries and deletes its subscriptions', async () => {
  await using stage = await setStage()
  await using receiver = await startReceiver([demoApp.consumer_secret])
  const { token, webhookId } = await stage.connect(receiver)
  receiver.answerPosts(500)
  const [uuid] = await stage.publish({})
  await stage.deliveriesWhen(`event_uuid=${uuid}`, ([found]) => found.state === 'retrying')
  assert.deepEqual((await stage.api('DELETE', `/2/webhooks/${webhookId}`, { token })).body, { data: { deleted: true } })
  const [found] = await stage.deliveriesWhen(`event_uuid=${uuid}`, ([delivery]) => delivery.state === 'not_sent')
  assert.equal(found.attempts.at(-1).error, 'webhook deleted')
  assert.equal((await stage.api('GET', '/2/activity/subscriptions', { token })).body.meta.result_count, 0)
  assert.match((await stage.api('DELETE', `/2/webhooks/${webhookId}`, { token })).body.errors[0].message, /^WebhookIdInvalid: /)
})

test('every attempt is one log line at the level debug, without a secret, a signature or a body', async () => {
  await using stage = await setStage({ environment: { POSTERN_LOG_LEVEL: 'debug' } })
  await using receiver = await startReceiver([demoApp.consumer_secret])
  const { token, webhookId } = await stage.connect(receiver)
  let posts = 0
  receiver.intercept = (request, response) => request.method === 'POST' && ++posts === 1 && answerWith(response, 500)
  const [uuid] = await stage.publish({ confidential: 'words' })
  await stage.deliveriesWhen(`event_uuid=${uuid}`, ([found]) => found.state === 'retrying')
  stage.clock.advance(5_000)
  const [first, second] = await stage.logged('attempt', 2)
  const about = { event_uuid: uuid, event_type: 'dm.received', webhook_id: webhookId, app_id: demoApp.id }
  for (const [name, value] of Object.entries(about)) assert.deepEqual([first[name], second[name]], [value, value])
  assert.deepEqual([first.level, second.level], [WARN, DEBUG])
  assert.deepEqual([first.kind, first.attempt, first.outcome, first.status], ['live', 1, 'failed', 500])
  assert.deepEqual([second.kind, second.attempt, second.outcome, second.status, second.next_try_at], ['retry', 2, 'delivered', 200, null])
  assert.ok(Date.parse(first.next_try_at) > Date.now() - 60_000 && Number.isInteger(first.latency_ms))
  const everything = JSON.stringify(stage.log)
  for (const secret of [demoApp.consumer_secret, token, 'sha256=', 'confidential']) assert.ok(!everything.includes(secret), secret)
})

test('in development the log line of a refused event says what the callback said and what may be wrong, and so do deliveries', async () => {
  const refuse = (response: ServerResponse): true => {
    response.req.resume().once('end', () => response.writeHead(403).end('Forbidden:\nno x-twitter-webhooks-signature'))
    return true
  }
  const says = 'Forbidden: no x-twitter-webhooks-signature'
  await using stage = await setStage()
  await using receiver = await startReceiver([demoApp.consumer_secret])
  await stage.connect(receiver)
  receiver.intercept = (request, response) => request.method === 'POST' && refuse(response)
  const [uuid] = await stage.publish({})
  const [line] = await stage.logged('attempt', 1)
  assert.deepEqual([line.status, line.response], [403, says])
  assert.match(line.hint, /looks for x-twitter-webhooks-signature needs a server with POSTERN_DIALECT=x/)
  const [found] = await stage.deliveriesWhen(`event_uuid=${uuid}`, ([delivery]) => delivery.state === 'retrying')
  assert.deepEqual([found.attempts[0].response, found.attempts[0].hint], [says, line.hint])
})
