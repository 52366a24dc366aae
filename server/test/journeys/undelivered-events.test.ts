// What the answer to published events says of where they went.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { demoApp, SECRET, type Stage, setStage } from '../stage/postern.ts'
import { answerWith, startReceiver } from '../stage/receiver.ts'

const bio = (userId: string, more = {}) => ({
  event_type: 'profile.update.bio',
  user_id: userId,
  payload: { before: 'a', after: 'b' },
  ...more,
})

const publish = async (stage: Stage, ...events: object[]) => {
  const answer = await stage.operator('POST', '/operator/events', { events })
  assert.equal(answer.status, 202, answer.text)
  return answer.body
}

test('published events say how many subscriptions they matched and how many deliveries they made, and in development why none', async () => {
  await using stage = await setStage()
  await using receiver = await startReceiver([demoApp.consumer_secret])
  const token = await stage.token()
  const nobody = await publish(stage, bio('101'))
  assert.deepEqual(nobody.meta, { subscriptions: 0, deliveries: 0 })
  assert.deepEqual(nobody.data[0].matched, {
    subscriptions: 0,
    deliveries: 0,
    reasons: ['no app has a subscription to profile.update.bio: create one with POST /2/activity/subscriptions'],
  })

  const webhookId = await stage.register(receiver.url, token)
  const subscriptionId = await stage.subscribe(webhookId, token, { event_type: 'profile.update.bio' })
  const { data, meta } = await publish(stage, bio('101', { event_uuid: '7' }), bio('102'))
  assert.deepEqual(meta, { subscriptions: 1, deliveries: 1 })
  assert.deepEqual(data[0], { event_uuid: '7' })
  assert.deepEqual(data[1].matched.reasons, [`Demo: subscription ${subscriptionId} is for user 101, not 102`])

  const again = await publish(stage, bio('101', { event_uuid: '7' }))
  assert.deepEqual(again.meta, { subscriptions: 0, deliveries: 0 })
  assert.deepEqual(again.data[0].matched.reasons, ['an event with this event_uuid was published before: nothing is delivered again'])
})

test('an event for a webhook that is invalid says so, and what to do', async () => {
  await using stage = await setStage()
  await using receiver = await startReceiver([demoApp.consumer_secret])
  const { token, webhookId } = await stage.connect(receiver)
  receiver.intercept = (_, response) => answerWith(response, 500)
  assert.equal((await stage.api('PUT', `/2/webhooks/${webhookId}`, { token })).status, 400)
  const { data, meta } = await publish(stage, { event_type: 'dm.received', user_id: '101', payload: {} })
  assert.deepEqual(meta, { subscriptions: 1, deliveries: 1 })
  const reasons = [
    `webhook ${webhookId} is invalid: PUT /2/webhooks/${webhookId} challenges it again, and a replay brings what was kept back`,
  ]
  assert.deepEqual(data[0].matched.reasons, reasons)
  const triggered = await stage.operator('POST', '/operator/trigger', { event_type: 'dm.received', user_id: '101' })
  assert.deepEqual(triggered.body.meta, { subscriptions: 1, deliveries: 1, reasons })
})

test('of many events that reach nobody the first 20 say why', async () => {
  await using stage = await setStage()
  const { data } = await publish(stage, ...Array.from({ length: 30 }, () => bio('101')))
  assert.equal(data.filter(({ matched }: { matched?: unknown }) => matched !== undefined).length, 20)
})

test('in production they say the numbers and not why', async () => {
  const environment = { POSTERN_PROFILE: 'production', POSTERN_SECRET: SECRET, POSTERN_OPERATOR_PORT: '0' }
  await using stage = await setStage({ environment, seed: {} })
  assert.deepEqual(await publish(stage, bio('101', { event_uuid: '7' })), {
    data: [{ event_uuid: '7' }],
    meta: { subscriptions: 0, deliveries: 0 },
  })
})
