// Whoever triggers an event knows when it was delivered, and to whom.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { demoApp, type Stage, setStage } from '../stage/postern.ts'
import { answerWith, startReceiver } from '../stage/receiver.ts'

const mute = { event_type: 'profile.update.bio', user: '101' }

async function connect(stage: Stage, url: string) {
  const token = await stage.token()
  const webhookId = await stage.register(url, token)
  await stage.subscribe(webhookId, token, { event_type: 'profile.update.bio' })
  return { token, webhookId }
}

async function trigger(stage: Stage, json: object = mute) {
  const { status, body, text } = await stage.operator('POST', '/operator/trigger', json)
  assert.equal(status, 202, text)
  return body
}

const settle = async (stage: Stage, timeout = '30s') => (await stage.operator('POST', '/operator/settle', { timeout })).body.data

test('a trigger is answered once the event was delivered, with what the callback answered', async () => {
  await using stage = await setStage()
  await using receiver = await startReceiver([demoApp.consumer_secret])
  const { webhookId } = await connect(stage, receiver.url)
  const { data } = await trigger(stage)
  assert.equal(receiver.events.length, 1)
  const [{ duration_ms, ...delivery }] = data.deliveries
  assert.ok(duration_ms >= 0)
  assert.deepEqual(delivery, {
    webhook_id: webhookId,
    url: receiver.url,
    app_id: '1',
    event_uuid: data.event_uuid,
    event_type: 'profile.update.bio',
    attempt: 1,
    status: 200,
    outcome: 'delivered',
  })
  const listed = await stage.operator('GET', `/operator/deliveries?event_uuid=${data.event_uuid}`)
  assert.equal(listed.body.data[0].state, 'delivered')
})

test('what a callback refuses is told with its answer, and when it is tried again', async () => {
  await using stage = await setStage()
  await using receiver = await startReceiver([demoApp.consumer_secret])
  await connect(stage, receiver.url)
  receiver.answerPosts(503)
  const [delivery] = (await trigger(stage)).data.deliveries
  assert.deepEqual([delivery.status, delivery.outcome, delivery.attempt], [503, 'failed', 1])
  assert.match(delivery.error, /503/)
  assert.match(delivery.next_try_at, /^\d{4}-/)
})

test('each webhook of the event is told of, and what it caused besides comes after', async () => {
  await using stage = await setStage()
  await using one = await startReceiver([demoApp.consumer_secret])
  await using other = await startReceiver([demoApp.consumer_secret])
  const { token } = await connect(stage, one.url)
  const second = await stage.register(other.url, token)
  await stage.subscribe(second, token, { event_type: 'profile.update.bio' })
  const { data, meta } = await trigger(stage)
  assert.deepEqual(data.deliveries.map(({ url }: { url: string }) => url).sort(), [one.url, other.url].sort())
  assert.equal(meta.deliveries, 2)
  await stage.subscribe(second, token, { event_type: 'follow.follow' })
  await stage.subscribe(second, token, { event_type: 'follow.unfollow' })
  const ended = await trigger(stage, { event_type: 'follow.unfollow', from: '101' })
  assert.deepEqual(
    ended.data.deliveries.map(({ event_type }: { event_type: string }) => event_type),
    ['follow.unfollow', 'follow.follow'],
  )
  assert.equal(ended.meta.deliveries, 1)
})

test('without wait it is answered while the callback still works', async () => {
  await using stage = await setStage()
  await using receiver = await startReceiver([demoApp.consumer_secret])
  await connect(stage, receiver.url)
  receiver.hold('POST')
  const { data } = await trigger(stage, { ...mute, wait: false })
  assert.equal(data.deliveries, undefined)
  assert.match(data.event_uuid, /^\d+$/)
  await receiver.holding(1)
  receiver.letGo()
  assert.deepEqual(await settle(stage), { settled: true, under_way: [] })
  assert.equal(receiver.events.length, 1)
})

test('a callback that never answers ends its attempt, and the trigger', async () => {
  await using stage = await setStage({ environment: { POSTERN_CALLBACK_TIMEOUT: '300ms' } })
  await using receiver = await startReceiver([demoApp.consumer_secret])
  await connect(stage, receiver.url)
  receiver.hold('POST')
  const [delivery] = (await trigger(stage)).data.deliveries
  assert.deepEqual([delivery.status, delivery.outcome, delivery.attempt], [null, 'failed', 1])
  assert.match(delivery.error, /^timed out after 300 ms while waiting for the answer's headers/)
  receiver.letGo()
})

test('what a fault or a backlog keeps back, and what is not sent, is told instead of awaited', async () => {
  await using stage = await setStage()
  await using receiver = await startReceiver([demoApp.consumer_secret])
  const { token, webhookId } = await connect(stage, receiver.url)
  for (const fault of [{ delay: '5m' }, { reorder: true }]) {
    const made = await stage.operator('POST', '/operator/faults', { delivery: 'profile.update.bio', ...fault })
    assert.equal(made.status, 201, made.text)
    const [held] = (await trigger(stage)).data.deliveries
    const kind = Object.keys(fault)[0]
    assert.deepEqual([held.outcome, held.status, held.attempt], ['under_way', null, 0])
    assert.equal(held.reason, `fault ${made.body.data.id} (${kind}) holds it back`)
  }
  const { settled, under_way } = await settle(stage, '100ms')
  assert.equal(settled, false)
  assert.match(under_way[0].what, /^fault \d+ \(delay\) holds profile\.update\.bio \d+ for http:.* \(webhook \d+\) back$/)
  await stage.operator('POST', '/operator/clock', { advance: '2h' })
  assert.equal((await settle(stage)).settled, true)

  receiver.hold('POST')
  const json = {
    events: Array.from({ length: 400 }, () => ({ event_type: 'profile.update.bio', user_id: '101', payload: { before: '', after: 'b' } })),
  }
  assert.equal((await stage.operator('POST', '/operator/events', json)).status, 202)
  const [late] = (await trigger(stage)).data.deliveries
  assert.equal(late.outcome, 'under_way')
  assert.match(late.reason, /^its webhook has fallen behind/)
  const behind = await settle(stage, '50ms')
  assert.equal(behind.settled, false)
  assert.match(behind.under_way[0].what, /was sent to http:.* which has not answered yet$/)
  receiver.letGo()
  assert.equal((await settle(stage, '60s')).settled, true)
  assert.equal(receiver.events.length, 403)

  receiver.intercept = (_, response) => answerWith(response, 500)
  assert.equal((await stage.api('PUT', `/2/webhooks/${webhookId}`, { token })).status, 400)
  const [unsent] = (await trigger(stage)).data.deliveries
  assert.deepEqual([unsent.outcome, unsent.status, unsent.attempt, unsent.error], ['not_sent', null, 0, 'webhook invalid'])
})

test('settle waits for what clients caused, without moving the clock', async () => {
  await using stage = await setStage()
  await using receiver = await startReceiver([demoApp.consumer_secret])
  const { token, webhookId } = await connect(stage, receiver.url)
  await stage.subscribe(webhookId, token, { event_type: 'post.create' })
  assert.deepEqual(await settle(stage), { settled: true, under_way: [] })
  receiver.answerPosts(503)
  const before = stage.clock.offset()
  for (let one = 0; one < 5; one += 1) await trigger(stage, { event_type: 'post.create', user: '101', wait: false })
  assert.equal((await settle(stage)).settled, true)
  assert.equal(receiver.posts, 5)
  assert.equal(stage.clock.offset(), before)
})

test('a wrong timeout is refused with the rule', async () => {
  await using stage = await setStage()
  const refused = async (timeout: string) => (await stage.operator('POST', '/operator/settle', { timeout })).body.errors[0].message
  assert.equal(await refused('61s'), '$.timeout: must be at most 60s')
  assert.match(await refused('soon'), /^timeout must be a duration such as 90s/)
})
