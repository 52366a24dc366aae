import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { createClock } from '../../src/lib/clock.ts'
import { call } from '../stage/call.ts'
import { databasesOf } from '../stage/databases.ts'
import { demoApp, type Stage, setStage } from '../stage/postern.ts'
import { startReceiver } from '../stage/receiver.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000
const PUBLISHERS = 4

/** The wall clock of one Postern, which a test steps as an administrator or NTP would. */
function steppedClock() {
  const wall = { steppedMs: 0 }
  return { wall, clock: createClock(0, () => Date.now() + wall.steppedMs) }
}

/** Publishes without a pause until it is stopped. */
function publishAlways(stage: Stage) {
  const accepted = new Set<string>()
  let isOver = false
  const publish = async () => {
    while (!isOver) for (const uuid of await stage.publish({})) accepted.add(uuid)
  }
  const publishing = Promise.all(Array.from({ length: PUBLISHERS }, publish))
  const more = async (count: number) => {
    const enough = accepted.size + count
    await stage.until(() => accepted.size >= enough)
  }
  const stop = async () => {
    isOver = true
    await publishing
  }
  return { accepted, more, stop }
}

for (const flavour of databasesOf(import.meta)) {
  suite(`steps of the wall clock on ${flavour}`, () => {
    test('events are accepted and delivered, whichever way the clock steps under load', async () => {
      const { wall, clock } = steppedClock()
      await using stage = await setStage({ flavour, clock })
      await using receiver = await startReceiver([demoApp.consumer_secret])
      await stage.connect(receiver)
      const load = publishAlways(stage)
      await load.more(50)
      for (const steppedMs of [-HOUR_MS, 0, HOUR_MS, -24 * HOUR_MS]) {
        wall.steppedMs = steppedMs
        await load.more(50)
      }
      await load.stop()
      await stage.until(() => receiver.events.length >= load.accepted.size)
      assert.deepEqual(new Set(receiver.events.map(({ data }) => data?.event_uuid)), load.accepted)
    })

    test('a step forward does not end deliveries in flight', async () => {
      const { wall, clock } = steppedClock()
      await using stage = await setStage({ flavour, clock, environment: { POSTERN_CALLBACK_TIMEOUT: '10s' } })
      await using receiver = await startReceiver([demoApp.consumer_secret])
      await stage.connect(receiver)
      receiver.hold('POST')
      const [held] = await stage.publish({ held: true })
      await receiver.holding(1)
      wall.steppedMs = HOUR_MS
      for (let n = 0; n < 20; n++) await stage.publish({ n })
      receiver.letGo()
      const [delivery] = await stage.deliveriesWhen(`event_uuid=${held}`, ([found]) => found?.attempts.length > 0)
      assert.deepEqual([delivery.state, delivery.attempts.length], ['delivered', 1])
    })

    test('deliveries in flight during a step back end at their deadline', async () => {
      const { wall, clock } = steppedClock()
      await using stage = await setStage({ flavour, clock, environment: { POSTERN_CALLBACK_TIMEOUT: '1s' } })
      await using receiver = await startReceiver([demoApp.consumer_secret])
      await stage.connect(receiver)
      receiver.hold('POST')
      const [held] = await stage.publish({ held: true })
      await receiver.holding(1)
      wall.steppedMs = -HOUR_MS
      const [delivery] = await stage.deliveriesWhen(`event_uuid=${held}`, ([found]) => found?.attempts.length > 0)
      assert.match(delivery.attempts[0].error, /timed out after 1000 ms/)
      receiver.letGo()
    })

    test('after a step back of an hour every webhook is challenged within the hour', async () => {
      const { wall, clock } = steppedClock()
      await using stage = await setStage({ flavour, clock, environment: { POSTERN_RATE_LIMITS: 'off' } })
      await using receiver = await startReceiver([demoApp.consumer_secret])
      const token = await stage.token()
      await stage.register(receiver.url, token)
      wall.steppedMs = -HOUR_MS
      for (let minute = 0; minute < 61; minute++) {
        clock.advance(MINUTE_MS)
        for (let n = 0; n < 10; n++) assert.equal((await stage.api('GET', '/2/webhooks', { token })).status, 200)
      }
      await stage.until(() => receiver.challenges >= 2)
    })

    // On PostgreSQL the clock of the database says when a retry is due (storage/sql/postgres/own-lease.ts).
    if (flavour === 'sqlite')
      test('a retry that becomes due by a step forward is sent without waiting for its delay', async () => {
        const { wall, clock } = steppedClock()
        await using stage = await setStage({ flavour, clock, environment: { POSTERN_RETRY_PLAN: '1h' } })
        await using receiver = await startReceiver([demoApp.consumer_secret])
        await stage.connect(receiver)
        receiver.hold('POST')
        const [uuid] = await stage.publish({})
        const [first] = await receiver.holding(1)
        first!.fail(500)
        await stage.deliveriesWhen(`event_uuid=${uuid}`, ([found]) => found?.attempts.length === 1)
        receiver.holds = undefined
        wall.steppedMs = 2 * HOUR_MS
        clock.advance(10_000)
        await receiver.received(1)
      })

    test('a caller at a limit when the clock is stepped back can call again', async () => {
      const { wall, clock } = steppedClock()
      await using stage = await setStage({ flavour, clock })
      const token = await stage.token()
      const list = () => call(`${stage.origins.base_url}/2/webhooks`, 'GET', { token })
      let answer = await list()
      for (let n = 0; answer.status === 200 && n < 1000; n++) answer = await list()
      assert.equal(answer.status, 429)
      wall.steppedMs = -HOUR_MS
      assert.equal((await list()).status, 200)
    })
  })
}
