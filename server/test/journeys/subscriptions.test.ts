// Subscriptions as the app that has them sees them: how many there may be, why one is refused, and how they go.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { databasesOf } from '../stage/databases.ts'
import { setPair } from '../stage/pair.ts'
import { demoApp, otherApp, type Stage, setStage } from '../stage/postern.ts'
import { startReceiver } from '../stage/receiver.ts'

const PATH = '/2/activity/subscriptions'

const create = (stage: Stage, token: string, json: object) => stage.api('POST', PATH, { token, json })
const ofUser = (user_id: string) => ({ event_type: 'post.create', filter: { user_id } })
const problemOf = ({ status, body }: { status: number; body: { type: string } }) => [status, body.type.split('/').at(-1)]

/** Public practice: so many subscriptions an app may have. */
const MOST = 1500

test('beyond 1,500 subscriptions an app is refused with rule-cap, and a deletion makes room for one', async () => {
  const subscriptions = Array.from({ length: MOST - 1 }, (_, n) => ({ ...ofUser(String(n + 1)), consumer_key: demoApp.consumer_key }))
  await using stage = await setStage({ seed: { apps: [demoApp, otherApp], subscriptions } })
  const token = await stage.token()
  const last = await create(stage, token, ofUser('5000'))
  assert.deepEqual([last.status, last.body.meta.total_subscriptions], [200, MOST])
  const refused = await create(stage, token, ofUser('5001'))
  assert.deepEqual(problemOf(refused), [400, 'rule-cap'])
  assert.match(refused.body.detail, /1500/)
  assert.equal((await create(stage, await stage.token(otherApp), ofUser('5001'))).status, 200, 'another app has its own')
  const { subscription_id } = last.body.data.subscription
  const deleted = await stage.api('DELETE', `${PATH}/${subscription_id}`, { token })
  assert.deepEqual(deleted.body, { data: { deleted: true }, meta: { total_subscriptions: MOST - 1 } })
  assert.equal((await create(stage, token, ofUser('5001'))).status, 200)
})

test('a subscription is refused by the kind of its mistake', async () => {
  await using stage = await setStage()
  const token = await stage.token()
  const first = await create(stage, token, ofUser('101'))
  const { subscription_id } = first.body.data.subscription
  const duplicate = await create(stage, token, ofUser('101'))
  assert.deepEqual(
    [...problemOf(duplicate), duplicate.body.id, duplicate.body.value],
    [400, 'duplicate-rules', subscription_id, 'post.create'],
  )
  for (const [json, kind] of [
    [{ event_type: 'post.create', filter: { user_id: 'ada' } }, 'invalid-rules'],
    [{ event_type: 'post.create', filter: { user_id: '101', direction: 'up' } }, 'invalid-rules'],
    [{ event_type: 'post.create', filter: { author: '101' } }, 'invalid-rules'],
    [{ event_type: 'post.create', filter: { keyword: '(' } }, 'invalid-rules'],
    [{ event_type: 'post.create', filter: {} }, 'noncompliant-rules'],
    [{ event_type: 'post.create', filter: { user_id: '101', direction: 'sent' } }, 'noncompliant-rules'],
    [{ event_type: 'mute.mute', filter: { user_id: '101', direction: 'sent' } }, 'noncompliant-rules'],
    [{ event_type: 'dm.received', filter: { direction: 'sent' } }, 'noncompliant-rules'],
    [{ event_type: 'nothing.happened', filter: { user_id: '101' } }, 'invalid-request'],
    [{ ...ofUser('102'), webhook_id: '1' }, 'invalid-request'],
    [{ ...ofUser('102'), more: 1 }, 'invalid-request'],
  ] as const)
    assert.deepEqual(problemOf(await create(stage, token, json)), [400, kind], JSON.stringify(json))
  assert.equal((await stage.api('GET', PATH, { token })).body.meta.total_subscriptions, 1)
  const misspelt = await create(stage, token, { event_type: 'dm.recieved', filter: { user_id: '101' } })
  assert.equal(
    misspelt.body.errors[0].message,
    '$.event_type: dm.recieved is no event type. Did you mean dm.received? They are listed at /docs/events (docs/events.md).',
  )
})

for (const flavour of databasesOf(import.meta))
  test(`${flavour}: several subscriptions are deleted together or not at all, and get nothing more from any process`, async () => {
    await using pair = await setPair({ flavour })
    const { one, other } = pair
    await using receiver = await startReceiver([demoApp.consumer_secret])
    const token = await one.token()
    const webhook_id = await one.register(receiver.url, token)
    const ids: string[] = []
    for (const user of ['1', '2', '3']) {
      const { data } = (await create(one, token, { ...ofUser(user), webhook_id })).body
      ids.push(data.subscription.subscription_id)
    }
    const foreign = (await create(one, await one.token(otherApp), ofUser('1'))).body.data.subscription.subscription_id
    const remove = (wanted: readonly string[]) => other.api('DELETE', `${PATH}?ids=${wanted.join()}`, { token })
    const publish = async (stage: Stage) => {
      const events = ['1', '2', '3'].map((user_id) => ({ event_type: 'post.create', user_id, payload: { user_id } }))
      assert.equal((await stage.operator('POST', '/operator/events', { events })).status, 202)
    }
    for (const stage of [one, other]) await publish(stage)
    await receiver.received(6)

    for (const stranger of ['7', foreign]) {
      const refused = await remove([ids[0]!, stranger])
      assert.equal(refused.status, 404)
      assert.match(refused.body.detail, new RegExp(`\\[${stranger}\\]`))
    }
    const removed = await remove([ids[0]!, ids[2]!])
    assert.deepEqual([removed.status, removed.body], [200, { data: { deleted: true }, meta: { total_subscriptions: 1 } }])
    for (const stage of [one, other]) await publish(stage)
    const received = await receiver.received(8)
    assert.deepEqual(
      received.slice(6).map(({ data }) => data!.payload),
      [{ user_id: '2' }, { user_id: '2' }],
    )
    assert.equal((await remove([ids[0]!])).status, 404)
    assert.equal((await remove(Array.from({ length: 101 }, (_, n) => String(n + 1)))).status, 400)
  })

test('an event that was accepted before its subscription was deleted is delivered, and retried, and no later one is', async () => {
  await using receiver = await startReceiver([demoApp.consumer_secret])
  await using stage = await setStage({ environment: { POSTERN_RETRY_PLAN: '1h' } })
  const token = await stage.token()
  const webhookId = await stage.register(receiver.url, token)
  const subscriptionId = await stage.subscribe(webhookId, token)
  receiver.answerPosts(500)
  const [before] = await stage.publish({ n: 1 })
  await stage.deliveriesWhen(`event_uuid=${before}`, ([found]) => found?.state === 'retrying')
  assert.equal((await stage.api('DELETE', `${PATH}/${subscriptionId}`, { token })).status, 200)
  await stage.publish({ n: 2 })
  receiver.intercept = undefined
  stage.clock.advance(3_600_000)
  const [ended] = await stage.deliveriesWhen(`event_uuid=${before}`, ([found]) => found.state !== 'retrying')
  assert.equal(ended.state, 'delivered')
  assert.deepEqual(
    receiver.events.map(({ data }) => data!.payload),
    [{ n: 1 }],
  )
})
