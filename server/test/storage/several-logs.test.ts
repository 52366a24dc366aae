// What several logs promise beside what every log does: event-log.test.ts, event-log-model.test.ts and others run on three logs too.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createClock } from '../../src/lib/clock.ts'
import type { Accepted, Delivery, NewEvent, StreamListener } from '../../src/storage/event-log.ts'
import type { Place } from '../../src/storage/log-map.ts'
import { Unavailable } from '../../src/storage/unavailable.ts'
import { migratedDatabase } from '../stage/database.ts'
import { databasesOf } from '../stage/databases.ts'
import { type Gate, startGate } from '../stage/gate.ts'
import { PATIENCE_MS, pause } from '../stage/pause.ts'
import { delivered, event, failed, idsOfOneLog, MINUTE_MS, openJoined, readAll, to, uuids } from './event-log-stage.ts'

const clock = createClock()

async function until(isSo: () => boolean | Promise<boolean>) {
  const deadlineMs = performance.now() + PATIENCE_MS
  while (!(await isSo())) {
    assert.ok(performance.now() < deadlineMs, String(isSo))
    await pause()
  }
}

/** Ids of webhooks whose slots belong to the logs 1, 2 and 3 when all are divided evenly. */
const [ONE, TWO, THREE] = [1, 2, 3].map((log) => idsOfOneLog(1, log)[0]) as [string, string, string]

const ALL = { after: -1, before: Number.MAX_SAFE_INTEGER, limit: 100 }

/** Three logs of one process, each behind a gate. */
async function threeLogs() {
  const stack = new AsyncDisposableStack()
  const gates: Gate[] = []
  for (let made = 0; made < 3; made += 1) gates.push(stack.use(await startGate(stack.use(await migratedDatabase('postgres')).url)))
  const joined = await openJoined(
    gates.map(({ url }) => url),
    { clock, worker: 0, living: [0] },
  )
  stack.defer(() => joined.log.close())
  const held: Delivery[] = []
  joined.log.onHeld((deliveries) => void held.push(...deliveries))
  await joined.log.recover()
  return {
    ...joined,
    gates: gates as [Gate, Gate, Gate],
    held,
    heldBy: (webhookId: string) => uuids(held.filter((delivery) => delivery.webhookId === webhookId)),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

const away = (stage: { members: Awaited<ReturnType<typeof openJoined>>['members'] }, log: number) => () => stage.members.get(log)!.isAway()

/** Every slot in one log, and before that in another. */
const moved = (former: number, log: number): Place[] =>
  Array.from({ length: 256 }, () => ({ log, former: [{ log: former, untilMs: clock.now() }] }))

if (databasesOf(import.meta).includes('postgres')) {
  test('an event is in each log that has a match, under one number and uuid, and in no other', async () => {
    await using stage = await threeLogs()
    const [accepted] = await stage.log.append([event({ targets: to(ONE, TWO) })])
    assert.deepEqual(
      stage.held.map(({ webhookId, log, eventUuid }) => [webhookId, log, eventUuid]).toSorted(),
      [
        [ONE, 1, accepted!.eventUuid],
        [TWO, 2, accepted!.eventUuid],
      ].toSorted(),
    )
    assert.equal(new Set(stage.held.map(({ sequence }) => sequence)).size, 1)
    const counts = [1, 2, 3].map(async (log) => (await stage.members.get(log)!.use().extent(10)).events)
    assert.deepEqual(await Promise.all(counts), [1, 1, 0])
    assert.deepEqual(
      (await stage.log.find(accepted!.eventUuid))!.targets.map(({ webhookId }) => webhookId).toSorted(),
      [ONE, TWO].toSorted(),
    )
    assert.equal((await stage.log.report({ limit: 10 })).length, 2)
  })

  test('while a log is away its events are refused before anything is written, and those of others go on', async () => {
    await using stage = await threeLogs()
    await stage.log.append([event({ targets: to(TWO) })])
    await stage.gates[1].shut()
    await assert.rejects(stage.log.append([event({ targets: to(TWO) })]), Unavailable)
    await until(away(stage, 2))
    const refused = [event({ targets: to(ONE), eventUuid: 'a' }), event({ targets: to(TWO), eventUuid: 'b' })]
    await assert.rejects(stage.log.append(refused), { message: /^The event log 2 is away\. Events for its webhooks are refused/ })
    assert.deepEqual(stage.heldBy(ONE), [], 'a batch is all or none')
    await stage.log.append([event({ targets: to(ONE), eventUuid: 'c' }), event({ targets: [], eventUuid: 'd' })])
    assert.deepEqual(stage.heldBy(ONE), ['c'])
    await stage.log.acknowledge(stage.held.at(-1)!, failed(clock), clock.now())
    assert.deepEqual(uuids(await stage.log.takeDue(clock.now(), 10)), ['c'])
    assert.deepEqual(uuids(await stage.log.range(ONE, clock.now() - MINUTE_MS, clock.now() + MINUTE_MS, 0, 10)), ['c'])
    assert.equal((await stage.log.report({ webhookId: ONE, limit: 10 })).length, 1)
    await assert.rejects(stage.log.reportPage({ limit: 10 }), Unavailable, 'a list of all would not be whole')
    await assert.rejects(async () => stage.log.confirmHeld(stage.held[0]!), Unavailable, 'what it has waits')
    assert.equal(await stage.log.confirmHeld({ sequence: 1, webhookId: ONE, log: 1 }), undefined)
    assert.deepEqual([...(await stage.log.countOpen([ONE, TWO], 10)).keys()], [ONE])
    await stage.log.cancel(TWO, clock.now(), 'webhook deleted')
    let calls = 0
    stage.log.onWork(() => (calls += 1))
    await stage.gates[1].open()
    await until(() => !away(stage, 2)())
    assert.ok(calls > 0, 'what waits there is to be taken up')
    assert.deepEqual(
      (await stage.log.append(refused)).map(({ repeated }) => repeated),
      [false, false],
    )
  })

  test('what one log has when another fails is delivered, and the repetition adds the rest and doubles nothing', async () => {
    await using stage = await threeLogs()
    const both = event({ eventUuid: 'order-1', targets: to(ONE, TWO) })
    stage.gates[1].loseAnswerTo('order-1')
    await assert.rejects(stage.log.append([both]), { message: /^The event log 2 did not answer.*publish again with the same event_uuid/ })
    assert.deepEqual([stage.heldBy(ONE), stage.heldBy(TWO)], [['order-1'], []])
    await until(() => !away(stage, 2)())
    await until(async () => {
      await stage.log.append([both]).catch(() => {})
      await stage.log.recover()
      return stage.heldBy(TWO).length > 0
    })
    assert.deepEqual([stage.heldBy(ONE), stage.heldBy(TWO)], [['order-1'], ['order-1']])
    assert.deepEqual(await stage.log.append([both]), [{ eventUuid: 'order-1', repeated: true }])
  })

  test('a start works while a log is away that opens once it is there', async () => {
    await using stage = await threeLogs()
    await stage.log.append([event({ targets: to(THREE), eventUuid: 'before' })])
    await stage.log.close()
    await stage.gates[2].shut()
    const again = await openJoined(
      stage.gates.map(({ url }) => url),
      { clock, worker: 0, living: [0] },
    )
    try {
      const held: Delivery[] = []
      again.log.onHeld((deliveries) => void held.push(...deliveries))
      const back = new Promise<void>((resolve) => again.log.onWork(resolve))
      await again.log.recover()
      assert.equal((await again.log.append([event({ targets: to(ONE) })]))[0]!.repeated, false)
      await assert.rejects(again.log.append([event({ targets: to(THREE) })]), Unavailable)
      await stage.gates[2].open()
      await back
      await again.log.recover()
      assert.deepEqual(uuids(held.filter(({ webhookId }) => webhookId === THREE)), ['before'])
    } finally {
      await again.log.close()
    }
  })

  test('of a slot that was moved, new events go to the new log, and all that was before is served from the former', async () => {
    await using stage = await threeLogs()
    const streams = [{ appId: ONE, match: 'm' }]
    const append = (eventUuid: string) => stage.log.append([event({ eventUuid, targets: to(ONE), streams })])
    for (const eventUuid of ['a', 'b', 'c', 'd']) await append(eventUuid)
    const [, b, c] = stage.held as [Delivery, Delivery, Delivery]
    await stage.log.acknowledge(b, failed(clock), clock.now())
    await stage.log.acknowledge(c, failed(clock), null)
    stage.setPlaces(moved(1, 2))
    for (const eventUuid of ['e', 'f']) await append(eventUuid)
    assert.deepEqual(
      stage.held.slice(4).map(({ log }) => log),
      [2, 2],
    )
    const now = clock.now()
    const pages: string[] = []
    for (let after = 0; ; ) {
      const page = await stage.log.range(ONE, now - MINUTE_MS, now + MINUTE_MS, after, 2)
      if (page.length === 0) break
      pages.push(...uuids(page))
      after = page.at(-1)!.sequence
    }
    assert.deepEqual(pages, ['a', 'b', 'c', 'd', 'e', 'f'])
    assert.equal(await stage.log.countRange(ONE, now - MINUTE_MS, now + MINUTE_MS, 10), 6)
    assert.deepEqual(uuids(await stage.log.readStream({ appId: ONE, ...ALL })), ['a', 'b', 'c', 'd', 'e', 'f'])
    const first = await stage.log.reportPage({ webhookId: ONE, limit: 4 })
    const second = await stage.log.reportPage({ webhookId: ONE, limit: 4, before: first.next! })
    assert.deepEqual([uuids(first.reports), uuids(second.reports), second.next], [['f', 'e', 'd', 'c'], ['b', 'a'], null])
    assert.deepEqual(uuids(await stage.log.takeDue(now + 1, 10)), ['b'])
    await stage.log.acknowledge(stage.held[5]!, failed(clock), null)
    const reopening = { webhookId: ONE, ...ALL, states: ['given_up'] as const, dueMs: now, limit: 1 }
    const one = await stage.log.reopen(reopening)
    assert.deepEqual([one.count, one.next! >= c.sequence], [1, true])
    assert.equal((await stage.log.reopen({ ...reopening, after: one.next! })).count, 1)
    assert.deepEqual(uuids(await stage.log.takeDue(now + 1, 10)).toSorted(), ['c', 'f'])
    stage.log.park(ONE, [stage.held[3]!, stage.held[4]!])
    assert.deepEqual(uuids(await readAll(stage.log, ONE)), ['d', 'e'])
    await stage.log.acknowledge(stage.held[0]!, delivered(clock), null)
    assert.equal((await stage.log.countOpen([ONE], 10)).get(ONE)!.count, 5)
  })

  test('what another process adds to a stream is read from the log that tells of it, while the log before a move is away', async () => {
    await using stage = await threeLogs()
    const urls = stage.gates.map(({ url }) => url)
    const other = await openJoined(urls, { clock, worker: 1, living: [0, 1] })
    try {
      const told = Promise.withResolvers<Parameters<StreamListener['mayHave']>[0]>()
      other.log.onStream({ committed() {}, mayHave: told.resolve, missed() {} })
      for (const process of [stage, other]) process.setPlaces(moved(1, 2))
      await stage.gates[0].shut()
      await assert.rejects(other.log.readStream({ appId: ONE, ...ALL }), Unavailable)
      const [{ eventUuid }] = (await stage.log.append([event({ targets: [], streams: [{ appId: ONE, match: 'm' }] })])) as [Accepted]
      const { from, to: upTo, log } = await told.promise
      assert.equal(log, 2)
      const page = await other.log.readStream({ appId: ONE, after: from - 1, before: upTo + 1, limit: 10, log })
      assert.deepEqual(uuids(page), [eventUuid])
    } finally {
      await stage.gates[0].open()
      await other.log.close()
    }
  })

  test('an event of before a move is repeated by its uuid, and completed where its first try failed', async () => {
    await using stage = await threeLogs()
    const whole = event({ eventUuid: 'whole', targets: to(ONE, TWO), streams: [{ appId: ONE, match: 'm' }] })
    const partly = (targets: NewEvent['targets']) => event({ eventUuid: 'partly', targets })
    await stage.log.append([whole])
    // The first try reached log 2 alone.
    await stage.log.append([partly(to(TWO))])
    stage.setPlaces(moved(1, 2))
    const before = stage.held.length
    assert.deepEqual(await stage.log.append([whole]), [{ eventUuid: 'whole', repeated: true }])
    assert.deepEqual(uuids(await stage.log.readStream({ appId: ONE, ...ALL })), ['whole'])
    assert.deepEqual(await stage.log.append([partly(to(ONE, TWO))]), [{ eventUuid: 'partly', repeated: false }])
    assert.deepEqual(await stage.log.append([partly(to(ONE, TWO))]), [{ eventUuid: 'partly', repeated: true }])
    await stage.log.recover()
    assert.deepEqual(
      stage.held.slice(before).map(({ webhookId, eventUuid }) => [webhookId, eventUuid]),
      [[ONE, 'partly']],
    )
  })
}
