import assert from 'node:assert/strict'
import { test } from 'node:test'
import { databasesOf } from '../stage/databases.ts'
import { setPair } from '../stage/pair.ts'
import { demoApp, otherApp, type Stage, setStage } from '../stage/postern.ts'
import { startReceiver } from '../stage/receiver.ts'

const PATH = '/2/activity/subscriptions'

const update = (stage: Stage, token: string, id: string, json: unknown) => stage.api('PUT', `${PATH}/${id}`, { token, json })

const listed = async (stage: Stage, token: string) => (await stage.api('GET', PATH, { token })).body.data

const UNKNOWN_ID = '1999999999999999999'

for (const flavour of databasesOf(import.meta)) {
  test(`${flavour}: an update of tag and webhook applies to the next event, whichever process accepts it`, async () => {
    await using pair = await setPair({ flavour })
    await using first = await startReceiver([demoApp.consumer_secret])
    await using second = await startReceiver([demoApp.consumer_secret])
    const { one, other } = pair
    const token = await one.token()
    const [firstId, secondId] = [await one.register(first.url, token), await one.register(second.url, token)]
    const id = await one.subscribe(firstId, token, { tag: 'before' })
    await one.publish({ n: 1 })
    await other.publish({ n: 2 })
    const before = await first.received(2)
    assert.deepEqual(
      before.map(({ data }) => data!.tag),
      ['before', 'before'],
    )

    one.clock.advance(1000)
    const moved = await update(one, token, id, { tag: 'after', webhook_id: secondId })
    assert.equal(moved.status, 200, moved.text)
    const { subscription } = moved.body.data
    assert.deepEqual(moved.body, { data: { subscription, total_subscriptions: 1 }, meta: { total_subscriptions: 1 } })
    assert.deepEqual(subscription, {
      subscription_id: id,
      event_type: 'dm.received',
      filter: { user_id: '101' },
      created_at: subscription.created_at,
      updated_at: subscription.updated_at,
      tag: 'after',
      webhook_id: secondId,
      state: 'active',
    })
    assert.ok(Date.parse(subscription.updated_at) >= Date.parse(subscription.created_at) + 1000)
    for (const stage of [one, other]) assert.deepEqual(await listed(stage, token), [subscription])

    await other.publish({ n: 3 })
    await one.publish({ n: 4 })
    const after = await second.received(2)
    assert.deepEqual(
      after.map(({ data }) => data!.tag),
      ['after', 'after'],
    )
    assert.equal(first.events.length, 2)
  })

  test(`${flavour}: tag and webhook can each be changed alone`, async () => {
    await using pair = await setPair({ flavour })
    await using receiver = await startReceiver([demoApp.consumer_secret])
    const { one, other } = pair
    const token = await one.token()
    const webhookId = await one.register(receiver.url, token)
    const id = await one.subscribe(webhookId, token, { tag: 'before' })
    const tagged = await update(other, token, id, { tag: 'after' })
    assert.deepEqual([tagged.body.data.subscription.tag, tagged.body.data.subscription.webhook_id], ['after', webhookId])
    const same = await update(one, token, id, { webhook_id: webhookId })
    assert.deepEqual([same.body.data.subscription.tag, same.body.data.subscription.webhook_id], ['after', webhookId])
    await one.publish({})
    assert.equal((await receiver.received(1))[0]!.data!.tag, 'after')
  })

  test(`${flavour}: concurrent updates never leave two equal subscriptions`, async () => {
    await using pair = await setPair({ flavour })
    await using first = await startReceiver([demoApp.consumer_secret])
    await using second = await startReceiver([demoApp.consumer_secret])
    const { one, other } = pair
    const token = await one.token()
    const [firstId, secondId] = [await one.register(first.url, token), await one.register(second.url, token)]
    const ids = [await one.subscribe(firstId, token), await one.subscribe(secondId, token)]
    for (const webhook_id of [firstId, secondId, firstId]) {
      const answers = await Promise.all(ids.map((id, n) => update(n === 0 ? one : other, token, id, { webhook_id })))
      const { size } = new Set((await listed(one, token)).map((found: { webhook_id: string }) => found.webhook_id))
      assert.equal(size, 2)
      for (const { status, body } of answers) if (status !== 200) assert.match(body.type, /\/duplicate-rules$/)
    }
  })
}

test('an invalid update is rejected, and leaves the subscription unchanged', async () => {
  await using stage = await setStage()
  await using receiver = await startReceiver([demoApp.consumer_secret, otherApp.consumer_secret])
  const [token, otherToken] = [await stage.token(), await stage.token(otherApp)]
  const webhookId = await stage.register(receiver.url, token)
  const othersWebhook = await stage.register(receiver.url, otherToken)
  const id = await stage.subscribe(webhookId, token, { tag: 'mine' })
  const twin = (await stage.api('POST', PATH, { token, json: { event_type: 'dm.received', filter: { user_id: '101' } } })).body.data
  const before = await listed(stage, token)

  const refused = async (json: unknown, of = id, by = token) => {
    const { status, body } = await update(stage, by, of, json)
    const reason = /^([A-Za-z]+): /.exec(body.errors?.[0]?.message ?? '')?.[1]
    return [status, reason ?? String(body.type).split('/').at(-1)]
  }
  assert.deepEqual(await refused({}), [400, 'invalid-request'], 'nothing to change')
  assert.deepEqual(await refused({ tag: '' }), [400, 'invalid-request'])
  assert.deepEqual(await refused({ tag: null }), [400, 'invalid-request'])
  assert.deepEqual(await refused({ tag: 'x'.repeat(201) }), [400, 'invalid-request'])
  assert.deepEqual(await refused({ tag: 'x', event_type: 'dm.sent' }), [400, 'invalid-request'], 'the event type stays')
  assert.deepEqual(await refused({ tag: 'x', filter: { user_id: '1' } }), [400, 'invalid-request'], 'the filter stays')
  assert.deepEqual(await refused({ tag: 'x', webhook_id: othersWebhook }), [400, 'WebhookIdInvalid'])
  for (const webhook_id of [UNKNOWN_ID, '', 'no id']) assert.deepEqual(await refused({ tag: 'x', webhook_id }), [400, 'WebhookIdInvalid'])
  assert.deepEqual(await refused({ tag: 'x' }, UNKNOWN_ID), [404, 'about:blank'])
  assert.deepEqual(await refused({ tag: 'x' }, 'x'), [400, 'invalid-request'])
  assert.deepEqual(await refused({ tag: 'x' }, id, otherToken), [404, 'about:blank'], "another app's is not there")
  const duplicate = await update(stage, token, twin.subscription.subscription_id, { webhook_id: webhookId })
  assert.match(duplicate.body.type, /\/duplicate-rules$/)
  assert.ok(duplicate.body.detail.includes(id), duplicate.text)
  assert.deepEqual(await listed(stage, token), before)
})

test('updates are limited to 500 in 15 minutes, like the other calls for subscriptions', async () => {
  await using stage = await setStage()
  const token = await stage.token()
  const { headers } = await update(stage, token, UNKNOWN_ID, { tag: 'x' })
  assert.deepEqual([headers.get('x-rate-limit-limit'), headers.get('x-rate-limit-remaining')], ['500', '499'])
})
