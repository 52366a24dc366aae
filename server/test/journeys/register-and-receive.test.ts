import assert from 'node:assert/strict'
import { test } from 'node:test'
import { consenting } from '../stage/consent.ts'
import { databasesOf } from '../stage/databases.ts'
import { demoApp, otherApp, setStage } from '../stage/postern.ts'
import { startReceiver } from '../stage/receiver.ts'

for (const flavour of databasesOf(import.meta)) {
  test(`${flavour}: a registered webhook receives the signed events of its subscription, each once`, async () => {
    await using stage = await setStage({ flavour })
    await using receiver = await startReceiver([demoApp.consumer_secret], '/hook?tenant=7')
    const token = await stage.token()
    const webhookId = await stage.register(receiver.url, token)
    await stage.subscribe(webhookId, token, { tag: 'mine' })
    const uuids = await stage.publish({ n: 1 }, { n: 2 }, { n: 3 })
    const events = await receiver.received(3)
    assert.deepEqual(events.map((event) => event.data?.event_uuid).sort(), [...uuids].sort())
    const first = events.find((event) => event.data?.event_uuid === uuids[0])
    assert.deepEqual(first, {
      data: { event_uuid: uuids[0], filter: { user_id: '101' }, tag: 'mine', event_type: 'dm.received', payload: { n: 1 } },
    })
    const deliveries = await stage.deliveriesWhen(`webhook_id=${webhookId}&state=delivered`, (found) => found.length === 3)
    assert.deepEqual(
      deliveries.map((delivery) => delivery.event_uuid),
      [...uuids].reverse(),
    )
    assert.equal(deliveries[0].attempts[0].status, 200)
  })

  test(`${flavour}: one event for two subscriptions of an app is one delivery, and another one for the other app`, async () => {
    await using stage = await setStage({ flavour })
    await using receiver = await startReceiver([demoApp.consumer_secret])
    await using other = await startReceiver([otherApp.consumer_secret])
    const [token, otherToken] = [await stage.token(), await stage.token(otherApp)]
    const webhookId = await stage.register(receiver.url, token)
    await stage.subscribe(webhookId, token, { tag: 'oldest' })
    await stage.subscribe(webhookId, token, { filter: { user_id: '101', direction: 'received' }, tag: 'newer' })
    await stage.subscribe(await stage.register(other.url, otherToken), otherToken)
    const [uuid] = await stage.publish({})
    const [event] = await receiver.received(1)
    const [otherEvent] = await other.received(1)
    assert.equal(event?.data?.tag, 'oldest')
    assert.equal(otherEvent?.data?.event_uuid, uuid)
    await stage.deliveriesWhen(`event_uuid=${uuid}&state=delivered`, (found) => found.length === 2)
    assert.equal(receiver.posts, 1)
  })

  test(`${flavour}: a repeated event_uuid is accepted, and makes no second delivery`, async () => {
    await using stage = await setStage({ flavour })
    await using receiver = await startReceiver([demoApp.consumer_secret])
    await stage.connect(receiver)
    const event = { event_type: 'dm.received', user_id: '101', payload: {}, event_uuid: '-42' }
    for (let time = 0; time < 2; time += 1) {
      const answer = await stage.operator('POST', '/operator/events', event)
      assert.deepEqual([answer.status, answer.body.data.length, answer.body.data[0].event_uuid], [202, 1, '-42'])
      assert.equal(answer.body.meta.deliveries, time === 0 ? 1 : 0)
    }
    await stage.publish({ last: true })
    await stage.deliveriesWhen('state=delivered', (found) => found.length === 2)
    assert.equal(receiver.posts, 2)
  })
}

test('events go only to subscriptions with the same type, user, direction and keyword', async () => {
  await using stage = await setStage()
  await using receiver = await startReceiver([demoApp.consumer_secret])
  const token = await stage.token()
  const webhookId = await stage.register(receiver.url, token)
  await stage.subscribe(webhookId, token, { filter: { user_id: '101', direction: 'inbound' }, tag: 'direction' })
  await stage.subscribe(webhookId, token, { event_type: 'ProfileBioUpdate', filter: { user_id: '101' }, tag: 'alias' })
  await stage.subscribe(webhookId, token, { event_type: 'news.new', filter: { keyword: 'Lighthouse' }, tag: 'keyword' })
  const events = [
    { event_type: 'dm.received', user_id: '101', payload: {}, direction: 'outbound' },
    { event_type: 'dm.received', user_id: '102', payload: {} },
    { event_type: 'dm.sent', user_id: '101', payload: {} },
    { event_type: 'news.new', user_id: '9', payload: {}, text: 'nothing about it' },
    { event_type: 'dm.received', user_id: '101', payload: {} },
    { event_type: 'profile.update.bio', user_id: '101', payload: { before: 'a', after: 'b' } },
    { event_type: 'news.new', user_id: '9', payload: {}, text: 'the old lighthouse is lit again' },
  ]
  assert.equal((await stage.operator('POST', '/operator/events', { events })).status, 202)
  const received = await receiver.received(3)
  assert.deepEqual(received.map((event) => event.data?.tag).sort(), ['alias', 'direction', 'keyword'])
  await stage.deliveriesWhen('state=delivered', (found) => found.length === 3)
  assert.equal((await stage.operator('GET', '/operator/deliveries')).body.data.length, 3)
})

test('every event type and every alias can be subscribed to and published, and responses have the canonical name', async () => {
  await using stage = await setStage({ seed: consenting({ apps: [demoApp] }, '7'), environment: { POSTERN_RATE_LIMITS: 'off' } })
  const { acceptedEventTypes, canonicalEventType, eventTypes } = await import('../../src/delivery/events/event-types.ts')
  const token = await stage.token()
  for (const event_type of acceptedEventTypes) {
    const canonical = canonicalEventType(event_type)
    const filter = eventTypes[canonical]!.filter.includes('userId') ? { user_id: '7' } : { keyword: 'sea' }
    const answer = await stage.api('POST', '/2/activity/subscriptions', { token, json: { event_type, filter } })
    const isFirst = event_type === canonical
    assert.equal(answer.status, isFirst ? 200 : 400, answer.text)
    if (isFirst) assert.equal(answer.body.data.subscription.event_type, canonical)
    else assert.match(answer.body.type, /duplicate-rules$/)
    assert.equal((await stage.operator('POST', '/operator/events', { event_type, user_id: '7', payload: {} })).status, 202)
  }
})
