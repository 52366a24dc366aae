import assert from 'node:assert/strict'
import { test } from 'node:test'
import { databasesOf } from '../stage/databases.ts'
import { demoApp, setStage } from '../stage/postern.ts'
import { startReceiver } from '../stage/receiver.ts'

for (const flavour of databasesOf(import.meta))
  test(`${flavour}: an event is told with what it carries, which filters matched, and its deliveries; one that went nowhere too`, async () => {
    await using stage = await setStage({ flavour })
    await using receiver = await startReceiver([demoApp.consumer_secret])
    const { webhookId } = await stage.connect(receiver)
    const published = await stage.operator('POST', '/operator/events', {
      events: [
        { event_type: 'dm.received', user_id: '101', payload: { text: 'Hello' } },
        { event_type: 'dm.received', user_id: '102', payload: {}, event_uuid: '77' },
      ],
    })
    const [uuid, nowhere] = published.body.data.map(({ event_uuid }: { event_uuid: string }) => event_uuid)
    await stage.deliveriesWhen('state=delivered', (found) => found.length === 1)
    const event = await stage.operator('GET', `/operator/events/${uuid}`)
    assert.equal(event.status, 200, event.text)
    const { event_type, user_id, payload, deliveries } = event.body.data
    assert.deepEqual([event_type, user_id, payload, deliveries.length], ['dm.received', '101', { text: 'Hello' }, 1])
    const [{ webhook_id, state, filter, attempts }] = deliveries
    assert.deepEqual([webhook_id, state, filter, attempts[0].status], [webhookId, 'delivered', { user_id: '101' }, 200])

    const other = await stage.operator('GET', `/operator/events/${nowhere}`)
    assert.deepEqual([other.body.data.event_uuid, other.body.data.user_id, other.body.data.deliveries], ['77', '102', []])
    assert.equal((await stage.operator('GET', '/operator/events/1234')).status, 404)
  })
