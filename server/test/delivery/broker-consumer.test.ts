// What is done with the messages of a broker; journeys/broker.test.ts has the real one.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { dialects } from '../../src/api/declare/dialect.ts'
import { createBrokerConsumer } from '../../src/delivery/broker/broker-consumer.ts'
import type { Published, PublishedEvent } from '../../src/delivery/publish.ts'
import { createMessageReader } from '../../src/endpoints/operator/read-message.ts'
import { createClock } from '../../src/lib/clock.ts'
import { createBrokerCounts } from '../../src/metrics/broker-counts.ts'
import type { ParkedMessage } from '../../src/storage/parked-messages.ts'
import { Unavailable } from '../../src/storage/unavailable.ts'
import { eventSourceSuite } from '../stage/event-source-suite.ts'
import { createMemoryBroker } from '../stage/memory-broker.ts'
import { PATIENCE_MS, pause } from '../stage/pause.ts'

eventSourceSuite('memory', async () => {
  const clock = createClock()
  const broker = createMemoryBroker(clock)
  return {
    send: async (messages) => broker.send(messages),
    source: broker.source,
    pass: async (ms) => clock.advance(ms),
    [Symbol.asyncDispose]: async () => {},
  }
})

const read = createMessageReader(dialects.spec)

const event = (n: number, more: object = {}) => JSON.stringify({ event_type: 'dm.received', user_id: '101', payload: { n }, ...more })

async function until(isSo: () => boolean) {
  for (const givenUpAt = performance.now() + PATIENCE_MS; !isSo(); await pause())
    if (performance.now() > givenUpAt) throw new Error(`still not so: ${isSo}`)
}

const nOf = ({ payload }: PublishedEvent) => (payload as { n: number }).n

/** A consumer of a broker in memory, with a log that a test takes away. */
function setConsumer() {
  const clock = createClock()
  const broker = createMemoryBroker(clock)
  const counts = createBrokerCounts(() => clock.elapsed())
  const log = new Map<string, PublishedEvent>()
  const calls: number[][] = []
  const parked: ParkedMessage[] = []
  const lines: [string, unknown][] = []
  const note = (detail: unknown, message: string) => void lines.push([message, detail])
  const logger = { warn: note, error: note, info: note } as never
  const stage = {
    clock,
    broker,
    calls,
    parked,
    lines,
    log,
    /** What a publish call is refused with; undefined: nothing. */
    refuses: (_: readonly PublishedEvent[]): Error | undefined => undefined,
    isAway: false,
    isFull: false,
    heldSince: undefined as string | undefined,
    release: () => {},
    numbers: () => [...log.values()].map(nOf),
    counted: (outcome: string) => {
      const families = counts.families({ isConnected: true, pending: 0, unsettled: 0, parked: 0 })
      const { samples } = families.find(({ name }) => name === 'postern_broker_messages_total')!
      return samples.find(({ labels }) => labels.outcome === outcome)!.value as number
    },
    consumer() {
      return createBrokerConsumer({
        source: broker.source(),
        read,
        publisher: {
          async publish(events) {
            calls.push(events.map(nOf))
            const error = stage.isAway ? new Unavailable('away') : stage.refuses(events)
            if (error) throw error
            return events.map((one): Published => {
              const repeated = log.has(one.eventUuid!)
              if (!repeated) log.set(one.eventUuid!, one)
              return { eventUuid: one.eventUuid!, repeated, subscriptions: 0, deliveries: 0, keptBack: [] }
            })
          },
        },
        probe: async () => {
          if (stage.isAway) throw new Unavailable('away')
        },
        parked: {
          async park(message) {
            if (stage.isAway) throw new Unavailable('away')
            if (stage.isFull) return false
            parked.push(message)
            return true
          },
        },
        ids: { next: () => String(parked.length + 1) },
        hold: { since: () => stage.heldSince, onRelease: (run) => (stage.release = run) },
        counts,
        clock,
        logger,
      })
    },
  }
  return stage
}

const send = (stage: ReturnType<typeof setConsumer>, from: number, to: number) =>
  stage.broker.send(Array.from({ length: to - from + 1 }, (_, at) => ({ body: event(from + at) })))

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, at) => from + at)

suite('messages of a broker', () => {
  test('are published in their order and accepted once they are durable', async () => {
    const stage = setConsumer()
    const consumer = stage.consumer()
    consumer.start()
    send(stage, 1, 250)
    await until(() => stage.counted('accepted') === 250)
    assert.deepEqual(stage.numbers(), range(1, 250))
    assert.deepEqual(stage.broker.unsettled(), [])
    assert.equal(consumer.state(), 'consuming')
    await consumer.stop()
  })

  test('with one id of their producer are one event, and so is a message that comes twice', async () => {
    const stage = setConsumer()
    const consumer = stage.consumer()
    stage.broker.send([
      { body: event(1), id: 'a' },
      { body: event(2), id: 'b' },
      { body: event(3), id: 'a' },
    ])
    consumer.start()
    await until(() => stage.counted('accepted') + stage.counted('repeated') === 3)
    assert.deepEqual(stage.numbers(), [1, 2])
    await consumer.stop()
  })

  test('that hold a list of events are published together, each event with a uuid of its own', async () => {
    const stage = setConsumer()
    const consumer = stage.consumer()
    const events = [1, 2].map((n) => JSON.parse(event(n)))
    stage.broker.send([{ body: JSON.stringify({ events: [...events, { ...events[0], event_uuid: '77' }] }) }])
    consumer.start()
    await until(() => stage.counted('accepted') === 1)
    assert.equal(stage.log.size, 3)
    assert.ok(stage.log.has('77'))
    await consumer.stop()
  })

  test('that can never be published are parked with the reason, and then discarded', async () => {
    const stage = setConsumer()
    const consumer = stage.consumer()
    const large = event(1, { text: 'x'.repeat(300_000) })
    stage.broker.send([
      { body: '{"event_type":' },
      { body: event(1) },
      { body: JSON.stringify({ event_type: 'no.such', user_id: '101', payload: {} }) },
      { body: large },
      { body: '' },
      { body: Buffer.of(0xff, 0xfe) },
    ])
    consumer.start()
    await until(() => stage.counted('parked') === 5)
    assert.deepEqual(stage.numbers(), [1])
    assert.deepEqual(
      stage.parked.map(({ sequence }) => sequence),
      [1, 3, 4, 5, 6],
    )
    const [broken, unknown, tooLarge, empty, binary] = stage.parked.map(({ reason }) => reason)
    assert.match(broken!, /not valid JSON/)
    assert.match(unknown!, /event_type/)
    assert.match(tooLarge!, /is \d+ bytes of JSON; at most 262144 are allowed/)
    assert.match(empty!, /event_type/)
    assert.match(binary!, /not valid UTF-8/)
    assert.equal(stage.parked[2]!.bytes, Buffer.byteLength(large))
    assert.equal(stage.parked[2]!.content.length, 262_144)
    assert.deepEqual(stage.broker.unsettled(), [])
    await consumer.stop()
  })

  test('stay at the broker while there is no room for what cannot be published, and others go on', async () => {
    const stage = setConsumer()
    stage.isFull = true
    const consumer = stage.consumer()
    stage.broker.send([{ body: 'no' }, { body: event(2) }])
    consumer.start()
    await until(() => stage.counted('accepted') === 1 && stage.counted('given_back') === 1)
    stage.isFull = false
    stage.clock.advance(5 * 60_000)
    await until(() => stage.counted('parked') === 1)
    await consumer.stop()
  })

  test('are given back in their order while the log is away, nothing is taken meanwhile, and nothing is lost or doubled', async () => {
    const stage = setConsumer()
    stage.isAway = true
    const consumer = stage.consumer()
    consumer.start()
    send(stage, 1, 500)
    await until(() => consumer.state() === 'paused' && stage.broker.unsettled().length === 0)
    assert.equal(stage.calls.length, 1, 'it is asked for once, with the first batch')
    for (let n = 0; n < 20; n += 1) {
      stage.clock.advance(30_000)
      await pause()
    }
    assert.equal(stage.calls.length, 1)
    stage.isAway = false
    for (; stage.counted('accepted') < 500; await pause()) stage.clock.advance(30_000)
    assert.deepEqual(stage.numbers(), range(1, 500))
    await consumer.stop()
  })

  test('that the log refuses alone come later, and keep no other back', async () => {
    const stage = setConsumer()
    let isDead = true
    stage.refuses = (events) => (isDead && events.some((one) => nOf(one) % 10 === 0) ? new Unavailable('one log is away') : undefined)
    const consumer = stage.consumer()
    send(stage, 1, 100)
    consumer.start()
    await until(() => stage.counted('accepted') === 90)
    assert.deepEqual(
      stage.numbers(),
      range(1, 100).filter((n) => n % 10 !== 0),
    )
    assert.equal(consumer.state(), 'consuming')
    isDead = false
    for (; stage.counted('accepted') < 100; await pause()) stage.clock.advance(60_000)
    assert.deepEqual(
      stage.numbers().slice(90),
      range(1, 10).map((n) => n * 10),
    )
    await consumer.stop()
  })

  test('with which something fails that never should are tried five times, and then parked', async () => {
    const stage = setConsumer()
    stage.refuses = (events) => (events.some((one) => nOf(one) === 7) ? new Error('a bug') : undefined)
    const consumer = stage.consumer()
    send(stage, 1, 10)
    consumer.start()
    for (; stage.parked.length === 0; await pause()) stage.clock.advance(60_000)
    assert.deepEqual(
      stage.numbers(),
      range(1, 10).filter((n) => n !== 7),
    )
    assert.deepEqual([stage.parked[0]!.sequence, stage.parked[0]!.reason], [7, 'An unexpected error, which the log of the server has.'])
    assert.equal(stage.lines.filter(([message]) => message === 'could not publish a message of the broker').length, 5)
    await consumer.stop()
  })

  test('are not taken by a held copy, and are once it is released', async () => {
    const stage = setConsumer()
    stage.heldSince = '2026-03-01T12:00:00.000Z'
    const consumer = stage.consumer()
    send(stage, 1, 3)
    consumer.start()
    await pause()
    assert.equal(consumer.state(), 'paused')
    assert.deepEqual(stage.broker.unsettled(), [])
    stage.heldSince = undefined
    stage.release()
    for (; stage.counted('accepted') < 3; await pause()) stage.clock.advance(1_000)
    await consumer.stop()
  })

  test('are finished by a consumer that is stopped, or left to another', async () => {
    const stage = setConsumer()
    const consumer = stage.consumer()
    consumer.start()
    send(stage, 1, 1_000)
    await until(() => stage.counted('accepted') > 0)
    await consumer.stop()
    assert.deepEqual(stage.broker.unsettled(), [])
    assert.equal(stage.log.size + stage.broker.pending(), 1_000)
  })
})
