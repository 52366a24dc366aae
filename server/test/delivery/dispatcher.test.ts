import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { pino } from 'pino'
import { createDispatcher } from '../../src/delivery/dispatcher.ts'
import { createClock } from '../../src/lib/clock.ts'
import type { Delivery, EventLog } from '../../src/storage/event-log.ts'
import { Unavailable } from '../../src/storage/unavailable.ts'

/** A dispatcher over a log that gives deliveries when the test says so, and callbacks that never answer. `own` is what else the log does. */
function stageDispatcher(own: Partial<EventLog> = {}) {
  let give: (deliveries: readonly Delivery[]) => void = () => {}
  let stall: (error: unknown) => void = () => {}
  let lose: Parameters<EventLog['onLost']>[0] = () => 0
  let confirming: Promise<void> | undefined
  const parked: [webhookId: string, count: number][] = []
  let sent = 0
  const log = {
    onHeld: (listen: typeof give) => (give = listen),
    onWork() {},
    onLost: (listen: typeof lose) => (lose = listen),
    confirmHeld: () => confirming,
    onStalled: (listen: typeof stall) => (stall = listen),
    park: (webhookId: string, deliveries: readonly Delivery[]) => void parked.push([webhookId, deliveries.length]),
    read: () => new Promise(() => {}),
    ...own,
  } as unknown as EventLog
  const dispatcher = createDispatcher({
    log,
    clock: createClock(),
    destinations: { get: () => ({ valid: true, suspended: false, secrets: [] }), load: async () => 'missing' } as never,
    consents: { of: async () => [] },
    post: () => {
      sent += 1
      return new Promise(() => {})
    },
    retryPlanMs: [],
    retryJitter: 'none',
    logger: pino({ level: 'silent' }),
    onGone() {},
  })
  const deliveries = (count: number, webhookId = '7', bytes = 2) =>
    Array.from({ length: count }, (_, n): Delivery => {
      const content = Buffer.alloc(bytes, ' ')
      return { sequence: n + 1, webhookId, eventUuid: '1', eventType: 'post.delete', content, match: {}, attempts: 0, dueMs: 1 } as never
    })
  return {
    dispatcher,
    deliveries,
    parked,
    sent: () => sent,
    async hold(held: readonly Delivery[]) {
      give(held)
      await turn()
    },
    stall: (error: unknown) => stall(error),
    lose: (isLost: Parameters<typeof lose>[0] = () => true) => lose(isLost),
    /** Attempts wait for this from now on. */
    confirm(asked: Promise<void> | undefined) {
      confirming = asked
    },
  }
}

test('a webhook has 4 deliveries in flight and 256 in memory; what is more waits in the log', async () => {
  const { hold, deliveries, parked, sent, dispatcher } = stageDispatcher()
  await hold(deliveries(260))
  assert.deepEqual([sent(), parked, dispatcher.backlog().waiting.live], [4, [], 256])
  await hold(deliveries(3))
  assert.deepEqual([sent(), parked, dispatcher.backlog().waiting.live], [4, [['7', 3]], 256])
  await hold(deliveries(1, '8'))
  assert.deepEqual([sent(), parked.length], [5, 1], 'another webhook is not parked')
})

test('all webhooks together hold 64 MiB of content; what is more waits in the log', async () => {
  const { hold, deliveries, parked, sent } = stageDispatcher()
  await hold(deliveries(3, '1', 16 * 1024 * 1024))
  await hold(deliveries(1, '2', 16 * 1024 * 1024 - 1))
  await hold(deliveries(1, '3', 1))
  assert.deepEqual(parked, [], 'there is a byte of room')
  await hold(deliveries(2, '4', 1))
  assert.deepEqual([parked, sent()], [[['4', 2]], 5])
})

test('however many webhooks are read back at once, 64 MiB of content are in memory, and 4 deliveries of each webhook beyond that', async () => {
  const webhookIds = Array.from({ length: 1_000 }, (_, n) => String(n))
  const content = Buffer.alloc(4096, ' ')
  const { dispatcher, deliveries } = stageDispatcher({
    recover: async () => ({ parked: webhookIds }),
    nextDueMs: async () => undefined,
    async read(webhookId, limit) {
      await turn()
      return deliveries(limit, webhookId, 0).map((delivery) => ({ ...delivery, content }))
    },
  })
  dispatcher.start()
  for (let turns = 0; turns < 5; turns += 1) await turn()
  const { inFlight, waiting } = dispatcher.backlog()
  assert.equal(inFlight + waiting.live, 64 * 256 + 936 * 4)
})

test('nothing is sent while attempts cannot be recorded, and what waits when they can', async () => {
  const { hold, deliveries, sent, stall } = stageDispatcher()
  stall(new Error('the disk is full'))
  await hold(deliveries(2))
  assert.equal(sent(), 0)
  stall(null)
  await turn()
  assert.equal(sent(), 2)
})

test('a log that is wiped leaves nothing waiting, and room for as much as before', async () => {
  const { hold, deliveries, dispatcher, parked } = stageDispatcher()
  await hold(deliveries(100))
  const replayed = dispatcher.replay(deliveries(1)[0]!)
  dispatcher.clear()
  assert.deepEqual(dispatcher.backlog().waiting, { live: 0, retry: 0, replay: 0 })
  assert.deepEqual([(await replayed).outcome, (await replayed).error], ['not_sent', 'the event log was wiped'])
  await hold(deliveries(256))
  assert.deepEqual([dispatcher.backlog().waiting.live, parked], [256, []])
})

test('a log that is wiped again while requests are in flight drops each delivery once', async () => {
  const { hold, deliveries, dispatcher, parked } = stageDispatcher()
  await hold(deliveries(3))
  dispatcher.clear()
  dispatcher.clear()
  await hold(deliveries(256, '8', 256 * 1024))
  dispatcher.clear()
  assert.deepEqual(dispatcher.backlog().waiting, { live: 0, retry: 0, replay: 0 })
  await hold(deliveries(256, '9', 256 * 1024))
  assert.deepEqual([dispatcher.backlog().waiting.live, parked], [252, []], 'room for 64 MiB as before')
})

test('what another process may have taken over is sent once it is confirmed', async () => {
  const { hold, deliveries, sent, confirm } = stageDispatcher()
  const asked = Promise.withResolvers<void>()
  confirm(asked.promise)
  await hold(deliveries(2))
  assert.equal(sent(), 0)
  asked.resolve()
  await turn()
  assert.equal(sent(), 2)
})

test('what another process has taken over is dropped unsent, with room for as much as before; replays fail', async () => {
  const { hold, deliveries, dispatcher, parked, sent, confirm, lose } = stageDispatcher()
  const asked = Promise.withResolvers<void>()
  confirm(asked.promise)
  await hold(deliveries(256, '7', 256 * 1024))
  const replayed = assert.rejects(dispatcher.replay(deliveries(1)[0]!), Unavailable)
  assert.equal(lose(), 256)
  await replayed
  asked.reject(new Unavailable('Another process took over.'))
  await turn()
  await turn()
  assert.deepEqual([sent(), dispatcher.backlog().waiting], [0, { live: 0, retry: 0, replay: 0 }])
  confirm(undefined)
  await hold(deliveries(256, '8', 256 * 1024))
  assert.deepEqual([sent(), dispatcher.backlog().waiting.live, parked], [4, 252, []])
  assert.equal(lose(), 256, 'also what is in flight')
})

test('of several logs, what is lost of one is dropped, and what another has goes on in its order', async () => {
  const { hold, deliveries, sent, lose, dispatcher } = stageDispatcher()
  await hold(deliveries(10).map((delivery, at) => ({ ...delivery, log: at % 2 === 0 ? 1 : 2 })))
  assert.deepEqual([sent(), dispatcher.backlog().waiting.live], [4, 6])
  assert.equal(
    lose(({ log }) => log === 1),
    5,
    'two of them in flight',
  )
  assert.equal(dispatcher.backlog().waiting.live, 3)
  const rest = dispatcher.underWay().deliveries.filter(({ isSent }) => isSent)
  assert.equal(rest.length, 2, 'in flight')
})

test('what cannot be confirmed for any reason waits for another try', async () => {
  const { hold, deliveries, sent, confirm, dispatcher } = stageDispatcher()
  confirm(Promise.reject(new Error('prepared statement does not exist')))
  await hold(deliveries(2))
  await turn()
  assert.deepEqual([sent(), dispatcher.backlog().waiting.live], [0, 2])
})
