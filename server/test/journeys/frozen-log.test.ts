// The thread that writes the event log on SQLite stands still, as it does while its disk hangs.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Answer } from '../stage/call.ts'
import { startFreezer } from '../stage/freeze-threads.ts'
import { demoApp, setStage } from '../stage/postern.ts'
import { startReceiver } from '../stage/receiver.ts'

const FROZEN_MS = 15_000

const detailOf = ({ status, body }: Answer) => [status, body.detail]

test('while the event log hangs each event is refused, within ten seconds and then at once, /readyz says so, and what was refused as not written is not', async () => {
  using freezer = startFreezer()
  await using receiver = await startReceiver([demoApp.consumer_secret])
  await using stage = await setStage({ flavour: 'sqlite', fresh: true })
  await stage.connect(receiver)
  const publish = (event_uuid: string) =>
    stage.operator('POST', '/operator/events', { events: [{ event_type: 'dm.received', user_id: '101', payload: {}, event_uuid }] })
  assert.equal((await publish('1')).status, 202)
  freezer.freeze(FROZEN_MS)
  const inFlight = publish('2')
  // The first is with the thread, the second waits for its commit.
  await stage.api('GET', '/livez')
  const waiting = publish('3')
  const MAYBE = 'The event log does not answer, and may yet do it. Retry in a moment: events with the same event_uuid count once.'
  const NOTHING = 'The event log does not answer. Nothing was changed; retry in a moment.'
  assert.deepEqual(detailOf(await inFlight), [503, MAYBE])
  assert.deepEqual(detailOf(await waiting), [503, NOTHING])
  assert.deepEqual(detailOf(await publish('4')), [503, NOTHING])
  const readiness = await stage.api('GET', '/readyz')
  assert.deepEqual([readiness.status, readiness.body.failed], [503, ['event_log']])

  await stage.until(async () => (await stage.api('GET', '/readyz')).status === 200)
  const deliveries = async (event_uuid: string) => (await publish(event_uuid)).body.meta.deliveries
  assert.deepEqual([await deliveries('2'), await deliveries('3'), await deliveries('4')], [0, 1, 1], 'of these one was accepted before')
  const events = await receiver.received(4)
  assert.deepEqual(events.map(({ data }) => data!.event_uuid).sort(), ['1', '2', '3', '4'])
})
