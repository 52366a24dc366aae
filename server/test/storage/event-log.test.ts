import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createClock } from '../../src/lib/clock.ts'
import { momentOf, publicId } from '../../src/lib/ids.ts'
import type { Delivery } from '../../src/storage/event-log.ts'
import { cases } from '../stage/cases.ts'
import {
  type Carrier,
  carriersOf,
  countingClock,
  delivered,
  event,
  events,
  failed,
  idsOfOneLog,
  MINUTE_MS,
  openLog,
  readAll,
  stageLog,
  to,
  uuids,
} from './event-log-stage.ts'

/** What the port promises, whichever database carries the log. */
function eventLogConformance(flavour: Carrier) {
  test('appended events are held, complete, by the time append resolves', async () => {
    await using stage = await stageLog(flavour)
    const [accepted] = await stage.log.append([event({ targets: to('1', '2') })])
    assert.equal(accepted!.repeated, false)
    assert.equal(stage.held.length, 2)
    for (const webhookId of ['1', '2']) {
      const { sequence, log: _, ...rest } = stage.held.find((delivery) => delivery.webhookId === webhookId)!
      assert.equal(publicId(sequence), accepted!.eventUuid)
      assert.deepEqual(rest, {
        eventUuid: accepted!.eventUuid,
        eventType: 'post.create',
        webhookId,
        match: `match of ${webhookId}`,
        content: event().content,
        attempts: 0,
      })
    }
  })

  test('the span that appended an event stays with its deliveries: held, taken over, parked, due, replayed', async () => {
    await using stage = await stageLog(flavour)
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
    const streams = [{ appId: '7', match: 'match of 7' }]
    // Those of a batch with a stream and without, and one of the same batch that nobody traces.
    await Promise.all([stage.log.append([event({ traceparent }), event({ eventType: 'untraced' })]), stage.log.append([])])
    await stage.log.append([event({ traceparent, streams, eventUuid: 'streamed' }), event({ traceparent, targets: to('9') })])
    const tracesOf = (deliveries: readonly Delivery[]) => deliveries.map(({ traceparent: trace }) => trace)
    const all = [traceparent, undefined, traceparent, traceparent]
    assert.deepEqual(tracesOf(stage.held), all)
    assert.ok(!('traceparent' in stage.held[1]!))
    await stage.reopen()
    const held = stage.held.toSorted((one, other) => one.sequence - other.sequence)
    assert.deepEqual(tracesOf(held), all)
    for (const delivery of held.slice(0, 3)) await stage.log.acknowledge(delivery, failed(stage.clock), stage.clock.now())
    assert.deepEqual(
      tracesOf((await stage.log.takeDue(stage.clock.now() + MINUTE_MS, 10)).toSorted((one, other) => one.sequence - other.sequence)),
      all.slice(0, 3),
    )
    stage.log.park('9', held.slice(3))
    assert.deepEqual(tracesOf(await readAll(stage.log, '9')), [traceparent])
    const now = stage.clock.now()
    assert.deepEqual(tracesOf(await stage.log.range('1', now - MINUTE_MS, now + MINUTE_MS, 0, 10)), all.slice(0, 3))
    assert.equal((await stage.log.find('streamed'))?.targets.length, 1)
  })

  test('an event without targets is accepted and not held', async () => {
    await using stage = await stageLog(flavour)
    const [accepted] = await stage.log.append([event({ targets: [] })])
    assert.match(accepted!.eventUuid, /^[0-9]{1,19}$/)
    assert.deepEqual(await stage.log.append([]), [])
    assert.deepEqual(stage.held, [])
    assert.deepEqual(await stage.log.report({ limit: 10 }), [])
  })

  test('uuids are returned in the order of the events, over concurrent appends', async () => {
    await using stage = await stageLog(flavour)
    const batches = await Promise.all([stage.log.append(events(3)), stage.log.append(events(1)), stage.log.append(events(2))])
    const all = batches.flat().map(({ eventUuid }) => BigInt(eventUuid))
    assert.deepEqual(
      all,
      all.toSorted((a, b) => (a < b ? -1 : 1)),
    )
    assert.equal(new Set(all).size, 6)
  })

  test('a given uuid is appended once: in one append, in one batch, later, and after a restart', async () => {
    await using stage = await stageLog(flavour)
    const given = event({ eventUuid: 'order-17' })
    const batches = await Promise.all([stage.log.append([given, event(), given]), stage.log.append([given])])
    assert.deepEqual(
      batches.flat().map(({ repeated }) => repeated),
      [false, false, true, true],
    )
    assert.deepEqual(await stage.log.append([given]), [{ eventUuid: 'order-17', repeated: true }])
    assert.equal(stage.held.length, 2)
    assert.equal((await stage.log.report({ eventUuid: 'order-17', limit: 10 })).length, 1)
    await stage.reopen()
    assert.deepEqual(await stage.log.append([given]), [{ eventUuid: 'order-17', repeated: true }])
    assert.equal(stage.held.filter(({ eventUuid }) => eventUuid === 'order-17').length, 1)
  })

  test('giving a uuid that the log made repeats that event', async () => {
    await using stage = await stageLog(flavour)
    const [accepted] = await stage.log.append([event()])
    const { eventUuid } = accepted!
    assert.deepEqual(await stage.log.append([event({ eventUuid })]), [{ eventUuid, repeated: true }])
    assert.equal(stage.held.length, 1)
  })

  test('a target marked as not sent is never held, and kept for replay with the reason', async () => {
    await using stage = await stageLog(flavour)
    const targets = [{ webhookId: '1', match: 'm', notSent: 'webhook invalid' }, ...to('2')]
    const [accepted] = await stage.log.append([event({ targets })])
    await stage.reopen()
    assert.deepEqual(
      stage.held.map(({ webhookId }) => webhookId),
      ['2'],
    )
    const [report] = await stage.log.report({ webhookId: '1', limit: 10 })
    assert.equal(report!.state, 'not_sent')
    assert.equal(report!.attempts[0]!.outcome, 'not_sent')
    assert.equal(report!.attempts[0]!.error, 'webhook invalid')
    const now = stage.clock.now()
    assert.deepEqual(uuids(await stage.log.range('1', now - MINUTE_MS, now + MINUTE_MS, 0, 10)), [accepted!.eventUuid])
  })

  test('a delivery is pending, then delivered with its attempt, and not recovered after a restart', async () => {
    await using stage = await stageLog(flavour)
    const [accepted] = await stage.log.append([event()])
    const [pending] = await stage.log.report({ limit: 10 })
    assert.deepEqual([pending!.state, pending!.attempts, pending!.nextTryAtMs], ['pending', [], null])
    const attempt = delivered(stage.clock)
    await stage.log.acknowledge(stage.held[0]!, attempt, null)
    await stage.reopen()
    assert.deepEqual(stage.held, [])
    const [report] = await stage.log.report({ eventUuid: accepted!.eventUuid, limit: 10 })
    assert.deepEqual(report, {
      sequence: report!.sequence,
      eventUuid: accepted!.eventUuid,
      eventType: 'post.create',
      userId: '101',
      webhookId: '1',
      acceptedAtMs: momentOf(report!.sequence),
      state: 'delivered',
      nextTryAtMs: null,
      attempts: [{ n: 1, replayJobId: null, ...attempt }],
    })
  })

  test('a retry is returned when it is due, once, with its attempts counted, until it is given up', async () => {
    await using stage = await stageLog(flavour)
    const { log, clock, held } = stage
    await log.append([event()])
    const dueMs = clock.now() + MINUTE_MS
    await log.acknowledge(held[0]!, failed(clock), dueMs)
    assert.equal(await log.nextDueMs(), dueMs)
    const [retrying] = await log.report({ limit: 10 })
    assert.deepEqual([retrying!.state, retrying!.nextTryAtMs], ['retrying', dueMs])
    assert.deepEqual(await log.takeDue(dueMs - 1, 10), [])
    const [due, ...others] = await log.takeDue(dueMs, 10)
    assert.deepEqual(due, { ...held[0], attempts: 1, dueMs })
    assert.deepEqual(others, [])
    assert.deepEqual(await log.takeDue(dueMs, 10), [])
    assert.equal(await log.nextDueMs(), undefined)
    await log.acknowledge(due!, failed(clock), null)
    const [report] = await log.report({ limit: 10 })
    assert.deepEqual([report!.state, report!.nextTryAtMs, report!.attempts.map(({ n }) => n)], ['given_up', null, [1, 2]])
    assert.equal(await log.nextDueMs(), undefined)
    assert.equal(held.length, 1)
  })

  test('retries are returned earliest first, and one that fails again is due again', async () => {
    await using stage = await stageLog(flavour)
    const { log, clock, held } = stage
    await log.append(events(3))
    const now = clock.now()
    const [a, b, c] = held as [Delivery, Delivery, Delivery]
    await Promise.all([a, b, c].map((delivery, place) => log.acknowledge(delivery, failed(clock), now + [300, 100, 200][place]!)))
    assert.deepEqual(uuids(await log.takeDue(now + 200, 1)), [b.eventUuid])
    assert.deepEqual(uuids(await log.takeDue(now + 1_000, 10)), [c.eventUuid, a.eventUuid])
    await log.acknowledge({ ...c, attempts: 1 }, failed(clock), now + 400)
    const [again] = await log.takeDue(now + 400, 10)
    assert.deepEqual([again!.eventUuid, again!.attempts], [c.eventUuid, 2])
  })

  test('the retries of skipped webhooks stay in the log', async () => {
    await using stage = await stageLog(flavour)
    const { log, clock, held } = stage
    await log.append([event({ targets: to('10', '11') })])
    const now = clock.now()
    const [ten, eleven] = held.toSorted((one, other) => (one.webhookId < other.webhookId ? -1 : 1)) as [Delivery, Delivery]
    await Promise.all([ten, eleven].map((delivery, place) => log.acknowledge(delivery, failed(clock), now + 100 * (place + 1))))
    assert.equal(await log.nextDueMs(['10']), now + 200)
    assert.deepEqual(
      (await log.takeDue(now + 200, 10, ['10', '12'])).map(({ webhookId }) => webhookId),
      ['11'],
    )
    assert.equal(await log.nextDueMs(['10']), undefined)
    assert.equal(await log.nextDueMs(), now + 100)
    assert.equal((await log.takeDue(now + 200, 10)).length, 1)
  })

  test('retries of others are found in order behind many of a skipped webhook', async () => {
    await using stage = await stageLog(flavour)
    const { log, clock, held } = stage
    await log.append([...events(1_001, { targets: to('10') }), ...events(3, { targets: to('11', '12') })])
    const now = clock.now()
    const { skipped = [], others = [] } = Object.groupBy(held.splice(0), ({ webhookId }) => (webhookId === '10' ? 'skipped' : 'others'))
    await Promise.all([
      ...skipped.map((delivery) => log.acknowledge(delivery, failed(clock), now)),
      ...others.map((delivery, place) => log.acknowledge(delivery, failed(clock), now + 100 + place)),
    ])
    assert.equal(await log.nextDueMs(['10']), now + 100)
    assert.equal(await log.nextDueMs(['10', '11', '12']), undefined)
    assert.deepEqual(await log.takeDue(now + 99, 10, ['10']), [])
    assert.deepEqual(
      (await log.takeDue(now + 104, 10, ['10'])).map(({ dueMs }) => dueMs),
      [100, 101, 102, 103, 104].map((afterMs) => now + afterMs),
    )
    assert.equal(await log.nextDueMs(['10']), now + 105)
    assert.deepEqual(uuids(await log.takeDue(now + 1_000, 10, ['10', '13'])), uuids(others.slice(-1)))
    assert.equal((await log.takeDue(now, 2_000)).length, 1_001)
  })

  test('fractions of a millisecond are rounded, and a retry is never early', async () => {
    await using stage = await stageLog(flavour)
    const { log, clock, held } = stage
    await log.append([event()])
    const now = clock.now()
    await log.acknowledge(held[0]!, { ...failed(clock), atMs: now + 0.25 }, now + 0.75)
    assert.equal(await log.nextDueMs(), now + 1)
    assert.deepEqual(await log.takeDue(now + 0.9, 10), [])
    assert.equal((await log.takeDue(now + 1, 10)).length, 1)
    assert.equal((await log.report({ limit: 1 }))[0]!.attempts[0]!.atMs, now)
  })

  test('a retry that was returned and not acknowledged is due again after a restart', async () => {
    await using stage = await stageLog(flavour)
    const dueMs = stage.clock.now()
    await stage.log.append([event()])
    await stage.log.acknowledge(stage.held[0]!, failed(stage.clock), dueMs)
    assert.equal((await stage.log.takeDue(dueMs, 10)).length, 1)
    await stage.reopen()
    assert.deepEqual(stage.held, [])
    assert.equal(await stage.log.nextDueMs(), dueMs)
    assert.equal((await stage.log.takeDue(dueMs, 10))[0]!.attempts, 1)
  })

  test('what was held and not acknowledged is held again after a restart, unchanged', async () => {
    await using stage = await stageLog(flavour)
    await stage.log.append([event({ targets: to('1', '2') }), event({ eventUuid: 'order-1' }), event()])
    const [first, second, ...open] = stage.held
    await Promise.all([first!, second!].map((delivery) => stage.log.acknowledge(delivery, delivered(stage.clock), null)))
    const { parked } = await stage.reopen()
    assert.deepEqual(parked, [])
    assert.deepEqual(
      stage.held.toSorted((one, other) => one.sequence - other.sequence),
      open.toSorted((one, other) => one.sequence - other.sequence),
    )
  })

  test('a backlog larger than memory allows waits after a restart, and its webhook is returned; nothing is lost or repeated', async () => {
    await using stage = await stageLog(flavour)
    const big = await stage.log.append(events(2_500, { targets: to('big') }))
    const small = await stage.log.append(events(2, { targets: to('small') }))
    const { parked } = await stage.reopen()
    assert.deepEqual(parked, ['big'])
    assert.ok(stage.held.length < 1_000)
    const live = await stage.log.append(events(3, { targets: to('big') }))
    const found = uuids([...stage.held, ...(await readAll(stage.log, 'big', 700))])
    assert.deepEqual(found.toSorted(), uuids([...big, ...small, ...live]).toSorted())
  })

  test('a parked webhook waits in the log: released and new deliveries alike, read oldest first', async () => {
    await using stage = await stageLog(flavour)
    const { log, held, clock } = stage
    await log.append(events(5))
    const [inFlight, ...unsent] = held.splice(0)
    log.park('1', unsent)
    const later = await log.append(events(3, { targets: to('1', '2') }))
    assert.deepEqual(
      held.map(({ webhookId }) => webhookId),
      ['2', '2', '2'],
    )
    const pages = [await log.read('1', 4), await log.read('1', 4)]
    assert.deepEqual(
      pages.map((page) => page.length),
      [4, 3],
    )
    assert.deepEqual(uuids(pages.flat()), [...uuids(unsent), ...uuids(later)])
    await log.acknowledge(inFlight!, delivered(clock), null)
    assert.deepEqual(await log.read('1', 4), [])
    const [live] = await log.append([event()])
    assert.equal(held.at(-1)!.eventUuid, live!.eventUuid)
  })

  test('a page of large deliveries that wait ends with the one that makes it a mebibyte, and none is left behind at a recovery', async () => {
    await using stage = await stageLog(flavour)
    const accepted = await stage.log.append(events(10, { content: Buffer.alloc(256 << 10, 'x') }))
    const { parked } = await stage.reopen()
    const found = [...stage.held]
    for (const webhookId of parked) found.push(...(await readAll(stage.log, webhookId)))
    assert.deepEqual(uuids(found), uuids(accepted))
    stage.log.park('1', found)
    const pages: Delivery[][] = []
    for (let page = 0; page < 4; page += 1) pages.push(await stage.log.read('1', 100))
    assert.deepEqual(
      pages.map(({ length }) => length),
      [4, 4, 2, 0],
    )
    assert.deepEqual(uuids(pages.flat()), uuids(accepted))
  })

  test('a waiting delivery is read while an attempt of its replay is being recorded', async () => {
    await using stage = await stageLog(flavour)
    const { log, held, clock } = stage
    await log.append(events(3))
    log.park('1', held.splice(0))
    await log.flush()
    const [first, second, third] = await log.range('1', 0, clock.now() + MINUTE_MS, 0, 10)
    const recorded = Promise.all(
      [first!, second!, third!].map(({ sequence }) => log.recordReplay({ sequence, webhookId: '1' }, 'job-1', delivered(clock))),
    )
    assert.deepEqual(uuids(await log.read('1', 2)), uuids([first!, second!]))
    await recorded
    assert.deepEqual(uuids(await log.read('1', 2)), uuids([third!]))
  })

  test('a webhook parked during recovery keeps all remaining deliveries, found or not yet found', async () => {
    await using stage = await stageLog(flavour)
    const accepted = await stage.log.append(events(1_100, { targets: to('1', '2') }))
    await stage.log.close()
    const opened = await openLog(flavour, stage.url, { clock: stage.clock })
    const recovering = opened.log.recover()
    opened.log.park('2', [])
    const { parked } = await recovering
    const found = opened.held.filter(({ webhookId }) => webhookId === '2')
    for (const webhookId of new Set([...parked, '2'])) {
      found.push(...(await readAll(opened.log, webhookId, 500)).filter((delivery) => delivery.webhookId === '2'))
    }
    await opened.log.close()
    assert.deepEqual(uuids(found).toSorted(), uuids(accepted).toSorted())
  })

  test('a webhook parked during its commit waits with the committed deliveries', async () => {
    await using stage = await stageLog(flavour)
    const appended = stage.log.append([event({ targets: to('1', '2') })])
    void stage.log.flush()
    for (let turn = 0; turn < 10; turn++) await null
    stage.log.park('1', [])
    const [accepted] = await appended
    assert.deepEqual(
      stage.held.map(({ webhookId }) => webhookId),
      ['2'],
    )
    assert.deepEqual(uuids(await readAll(stage.log, '1')), [accepted!.eventUuid])
  })

  test('a delivery in flight when its webhook is parked is not read again, whether older or newer than the released ones', async () => {
    await using stage = await stageLog(flavour)
    const { log, held, clock } = stage
    await log.append(events(6))
    const [a, b, c, d, e, f] = held as Delivery[]
    await log.acknowledge(c!, delivered(clock), null)
    log.park('1', [b!, e!])
    assert.deepEqual(uuids(await log.read('1', 10)), uuids([b!, e!]))
    log.park('1', [b!])
    void log.acknowledge(e!, delivered(clock), null)
    void log.acknowledge(f!, delivered(clock), null)
    assert.deepEqual(uuids(await log.read('1', 10)), uuids([b!]))
    await stage.reopen()
    const recovered = [...stage.held, ...(await readAll(stage.log, '1'))]
    assert.deepEqual(uuids(recovered).toSorted(), uuids([a!, b!, d!]).toSorted())
  })

  test('a webhook is still covered after it caught up, and after it was parked and caught up again', async () => {
    await using stage = await stageLog(flavour)
    const { log, held, clock } = stage
    await log.append(events(3))
    log.park('1', held.splice(0))
    const [a, b, c] = await readAll(log, '1')
    await log.acknowledge(b!, delivered(clock), null)
    const [live] = await log.append([event()])
    log.park('1', held.splice(0))
    assert.deepEqual(uuids(await readAll(log, '1')), [live!.eventUuid])
    await log.append(events(20, { targets: to('2') }))
    for (const delivery of held.splice(0)) await log.acknowledge(delivery, delivered(clock), null)
    await stage.reopen()
    const recovered = [...stage.held, ...(await readAll(stage.log, '1'))]
    assert.deepEqual(uuids(recovered).toSorted(), [a!.eventUuid, c!.eventUuid, live!.eventUuid].toSorted())
  })

  for (const seed of [1, 2, 3].slice(0, cases(2, 3))) {
    test(`however it is parked, read, acknowledged out of order and restarted, every delivery is acknowledged once (seed ${seed})`, async () => {
      await using stage = await stageLog(flavour)
      const random = numbers(seed)
      const webhookIds = ['1', '2', '3']
      const accepted: string[] = []
      const open: Delivery[] = []
      const acknowledged = new Set<string>()
      const keyOf = ({ eventUuid, webhookId }: { eventUuid: string; webhookId: string }) => `${eventUuid} ${webhookId}`
      const holdNew = (deliveries: Delivery[]) => {
        for (const delivery of deliveries) {
          assert.ok(!acknowledged.has(keyOf(delivery)), 'a acknowledged delivery was handed out')
          assert.ok(!open.some((other) => keyOf(other) === keyOf(delivery)), 'a held delivery was handed out')
          open.push(delivery)
        }
      }
      const takeHeld = () => holdNew(stage.held.splice(0))
      const settleOne = (webhookId?: string) => {
        const choice = open.filter((delivery) => webhookId === undefined || delivery.webhookId === webhookId)
        const delivery = choice[Math.floor(random() * choice.length)]
        if (!delivery) return
        open.splice(open.indexOf(delivery), 1)
        const isFinal = random() < 0.7
        if (isFinal) acknowledged.add(keyOf(delivery))
        return stage.log.acknowledge(delivery, isFinal ? delivered(stage.clock) : failed(stage.clock), isFinal ? null : stage.clock.now())
      }
      const handBack = (webhookId: string) => {
        const unsent = open.filter((delivery) => delivery.webhookId === webhookId && delivery.attempts === 0 && random() < 0.5)
        for (const delivery of unsent) open.splice(open.indexOf(delivery), 1)
        stage.log.park(webhookId, unsent)
      }
      const steps = [
        async () => {
          const batch = Array.from({ length: 1 + Math.floor(random() * 4) }, () =>
            event({ targets: to(...webhookIds.filter(() => random() < 0.6)) }),
          )
          const answers = stage.log.append(batch)
          if (random() < 0.5) stage.log.park('1', [])
          for (const [place, { eventUuid }] of (await answers).entries()) {
            accepted.push(...batch[place]!.targets.map(({ webhookId }) => keyOf({ eventUuid, webhookId })))
          }
        },
        async () => {
          const written = settleOne()
          if (random() < 0.3) await written
        },
        async () => handBack(webhookIds[Math.floor(random() * 3)]!),
        async () => {
          const webhookId = webhookIds[Math.floor(random() * 3)]!
          const page = stage.log.read(webhookId, 1 + Math.floor(random() * 5))
          if (random() < 0.5) {
            for (let turn = Math.floor(random() * 20); turn > 0; turn--) await null
            if (random() < 0.5) await stage.log.nextDueMs()
            settleOne(webhookId)
            handBack(webhookId)
          }
          holdNew(await page)
        },
        async () => holdNew(await stage.log.takeDue(stage.clock.now(), 3)),
        async () => {
          if (random() > 0.1) return
          await stage.log.flush()
          takeHeld()
          open.length = 0
          await stage.reopen()
        },
      ]
      for (let i = 0; i < 250; i++) {
        takeHeld()
        await steps[Math.floor(random() * steps.length)]!()
      }
      const takeAll = async () => {
        takeHeld()
        for (const webhookId of webhookIds) holdNew(await readAll(stage.log, webhookId))
        holdNew(await stage.log.takeDue(stage.clock.now(), 1_000))
        return [...open.map(keyOf), ...acknowledged].toSorted()
      }
      await stage.log.flush()
      assert.deepEqual(await takeAll(), accepted.toSorted())
      await stage.reopen()
      open.length = 0
      assert.deepEqual(await takeAll(), accepted.toSorted())
    })
  }

  test('cancelling records waiting and retrying deliveries with the reason, and leaves held ones to their holder', async () => {
    await using stage = await stageLog(flavour)
    const { log, held, clock } = stage
    await log.append(events(5, { targets: to('1', '2') }))
    const [inFlight, retry, ...unsent] = held.splice(0).filter(({ webhookId }) => webhookId === '1')
    await log.acknowledge(retry!, failed(clock), clock.now())
    log.park('1', unsent)
    await log.append(events(1_500))
    await log.cancel('1', clock.now(), 'webhook deleted')
    assert.deepEqual(await log.takeDue(clock.now(), 10), [])
    assert.deepEqual(await log.read('1', 10), [])
    const reports = await log.report({ webhookId: '1', limit: 5_000 })
    assert.equal(reports.filter(({ state }) => state === 'not_sent').length, 1_504)
    assert.equal(reports.find(({ sequence }) => sequence === retry!.sequence)!.attempts.at(-1)!.error, 'webhook deleted')
    assert.deepEqual(
      reports.filter(({ state }) => state === 'pending').map(({ eventUuid }) => eventUuid),
      [inFlight!.eventUuid],
    )
    await log.acknowledge(inFlight!, delivered(clock), null)
    assert.equal((await log.report({ webhookId: '1', state: 'delivered', limit: 5 })).length, 1)
    assert.equal((await log.report({ webhookId: '2', state: 'pending', limit: 50 })).length, 5)
  })

  test('a range has all deliveries of the webhook between two times, in pages, in any state', async () => {
    await using stage = await stageLog(flavour)
    const { log, held, clock } = stage
    await log.append(events(2))
    clock.advance(MINUTE_MS)
    const fromMs = clock.now()
    const targets = [{ webhookId: '1', match: 'm', notSent: 'webhook invalid' }]
    const inside = [...(await log.append(events(4, { targets: to('1', '2') }))), ...(await log.append([event({ targets })]))]
    await log.acknowledge(held.at(-2)!, delivered(clock), null)
    await log.append(events(3, { targets: to('2') }))
    clock.advance(MINUTE_MS)
    const toMs = clock.now()
    await log.append(events(2))
    const first = await log.range('1', fromMs, toMs, 0, 3)
    const second = await log.range('1', fromMs, toMs, first.at(-1)!.sequence, 3)
    assert.deepEqual(uuids([...first, ...second]), uuids(inside))
    assert.deepEqual(first[0]!.content, event().content)
    assert.deepEqual(await log.range('1', fromMs, toMs, second.at(-1)!.sequence, 3), [])
    const at = momentOf(first[0]!.sequence)
    assert.equal((await log.range('1', at, at + 1, 0, 10))[0]!.eventUuid, first[0]!.eventUuid)
    assert.ok(!uuids(await log.range('1', 0, at, 0, 10)).includes(first[0]!.eventUuid))
  })

  test('a page of a range ends where its content reaches 1 MB, and the next one has the rest', async () => {
    await using stage = await stageLog(flavour)
    const { log, clock } = stage
    const [fromMs, toMs] = [clock.now() - MINUTE_MS, clock.now() + MINUTE_MS]
    const accepted = await log.append(events(7, { content: Buffer.alloc(256 << 10, 'x') }))
    const first = await log.range('1', fromMs, toMs, 0, 100)
    const second = await log.range('1', fromMs, toMs, first.at(-1)!.sequence, 100)
    assert.deepEqual([first.length, second.length], [4, 3])
    assert.deepEqual(uuids([...first, ...second]), uuids(accepted))
  })

  test('reports are newest first, page by page, without splitting an event', async () => {
    await using stage = await stageLog(flavour)
    const { log } = stage
    const accepted = await log.append(events(5, { targets: to('1', '2', '3') }))
    const expected = accepted.toReversed().flatMap(({ eventUuid }) => ['1', '2', '3'].map((webhookId) => `${eventUuid} ${webhookId}`))
    const found: string[] = []
    let before: number | undefined
    for (;;) {
      const page = await log.report({ before, limit: 4 })
      if (page.length === 0) break
      found.push(...page.map(({ eventUuid, webhookId }) => `${eventUuid} ${webhookId}`))
      before = page.at(-1)!.sequence
    }
    assert.deepEqual(found, expected)
    const ofOne = await log.report({ webhookId: '2', limit: 2 })
    assert.deepEqual(uuids(ofOne), uuids(accepted.toReversed().slice(0, 2)))
    assert.deepEqual(
      uuids(await log.report({ webhookId: '2', before: ofOne.at(-1)!.sequence, limit: 10 })),
      uuids(accepted.toReversed().slice(2)),
    )
  })

  test('reports are found by uuid, given or made, and by uuid and webhook', async () => {
    await using stage = await stageLog(flavour)
    const [made, given] = await stage.log.append([event({ targets: to('1', '2') }), event({ eventUuid: '12', targets: to('1') })])
    await stage.log.append(events(3))
    assert.equal((await stage.log.report({ eventUuid: made!.eventUuid, limit: 10 })).length, 2)
    assert.deepEqual(uuids(await stage.log.report({ eventUuid: made!.eventUuid, webhookId: '2', limit: 10 })), [made!.eventUuid])
    assert.deepEqual(uuids(await stage.log.report({ eventUuid: '12', limit: 10 })), [given!.eventUuid])
    assert.deepEqual(await stage.log.report({ eventUuid: '12', webhookId: '2', limit: 10 }), [])
    assert.deepEqual(await stage.log.report({ eventUuid: 'unknown', limit: 10 }), [])
  })

  test('a report by state finds few matching deliveries among many', async () => {
    await using stage = await stageLog(flavour)
    const { log, held, clock } = stage
    await log.append(events(1_300))
    const deliveries = held.splice(0)
    const rare = new Set([3, 700, 1_299])
    await Promise.all(
      deliveries.map((delivery, place) => log.acknowledge(delivery, rare.has(place) ? failed(clock) : delivered(clock), null)),
    )
    const found = await log.report({ state: 'given_up', limit: 10 })
    assert.deepEqual(uuids(found), uuids([deliveries[1_299]!, deliveries[700]!, deliveries[3]!]))
    assert.equal((await log.report({ state: 'given_up', limit: 2 })).length, 2)
  })

  test('attempts of a replay are listed with their job and change no state', async () => {
    await using stage = await stageLog(flavour)
    const { log, held, clock } = stage
    await log.append([event()])
    const { sequence } = held[0]!
    await log.acknowledge(held[0]!, failed(clock), null)
    await Promise.all([
      log.recordReplay({ sequence, webhookId: '1' }, 'job-1', failed(clock)),
      log.recordReplay({ sequence, webhookId: '1' }, 'job-1', delivered(clock)),
    ])
    await log.recordReplay({ sequence, webhookId: '1' }, 'job-2', delivered(clock))
    await log.recordReplay({ sequence: sequence + 1, webhookId: '1' }, 'job-2', delivered(clock))
    const [report] = await log.report({ limit: 10 })
    assert.equal(report!.state, 'given_up')
    assert.deepEqual(
      report!.attempts.map(({ n, replayJobId }) => [n, replayJobId]),
      [
        [1, null],
        [1, 'job-1'],
        [2, 'job-1'],
        [1, 'job-2'],
      ],
    )
    const now = clock.now()
    assert.equal((await log.range('1', now - MINUTE_MS, now + MINUTE_MS, 0, 10))[0]!.attempts, 1)
  })

  test('trimming deletes acknowledged events with all that belongs to them, and keeps open ones', async () => {
    await using stage = await stageLog(flavour)
    const { log, held, clock } = stage
    const [one, two, three, four] = idsOfOneLog(4) as [string, string, string, string]
    await log.append([
      event({ eventUuid: 'gone', targets: to(one, two) }),
      event({ targets: to(one, two) }),
      event({ targets: to(one) }),
      event({ targets: to(three) }),
    ])
    const [goneOne, goneTwo, halfOpen, , retry, waiting] = held as Delivery[]
    await Promise.all([goneOne!, goneTwo!, halfOpen!].map((delivery) => log.acknowledge(delivery, delivered(clock), null)))
    await log.acknowledge(retry!, failed(clock), clock.now() + MINUTE_MS)
    log.park(three, [waiting!])
    clock.advance(MINUTE_MS)
    const young = await log.append([event({ targets: to(four) })])
    await log.acknowledge(held.at(-1)!, delivered(clock), null)
    assert.equal(await log.trim(clock.now() - MINUTE_MS / 2), 1)
    const left = new Set(uuids(await log.report({ limit: 100 })))
    assert.deepEqual(left, new Set([...uuids([halfOpen!, retry!, waiting!]), young[0]!.eventUuid]))
    assert.deepEqual(await log.report({ eventUuid: 'gone', limit: 10 }), [])
    assert.deepEqual(uuids(await log.range(one, 0, clock.now(), 0, 10)), uuids([halfOpen!, retry!]))
    assert.equal((await log.append([event({ eventUuid: 'gone' })]))[0]!.repeated, false)
    assert.equal(await log.trim(clock.now() - MINUTE_MS / 2), 0)
  })

  test('appends run while the log is trimmed', async () => {
    await using stage = await stageLog(flavour)
    const { log, held, clock } = stage
    const count = 12_000
    await log.append(events(count))
    await Promise.all(held.splice(0).map((delivery) => log.acknowledge(delivery, delivered(clock), null)))
    clock.advance(MINUTE_MS)
    let isTrimmed = false
    const trimming = log.trim(clock.now() - 1).finally(() => {
      isTrimmed = true
    })
    await log.append([event()])
    assert.equal(isTrimmed, false)
    assert.equal(await trimming, count)
    assert.equal((await log.report({ limit: 10 })).length, 1)
  })

  test('after a wipe nothing is left or comes back, and the log continues at the time of the clock', async () => {
    await using stage = await stageLog(flavour)
    const { log, held, clock } = stage
    clock.setOffset(30 * MINUTE_MS)
    await log.append([...events(3, { targets: to('1', '2') }), event({ eventUuid: 'order-1' })])
    const [early, retry, ...others] = held.splice(0)
    await log.acknowledge(retry!, failed(clock), clock.now())
    log.park(
      '1',
      others.filter(({ webhookId }) => webhookId === '1'),
    )
    await log.wipe()
    clock.setOffset(0)
    await log.acknowledge(early!, delivered(clock), null)
    assert.deepEqual(await log.report({ limit: 10 }), [])
    assert.equal(await log.nextDueMs(), undefined)
    const [accepted] = await log.append([event({ eventUuid: 'order-1' })])
    assert.equal(accepted!.repeated, false)
    assert.equal(held.length, 1)
    assert.ok(momentOf(held[0]!.sequence) <= clock.now())
    await stage.reopen()
    assert.deepEqual(uuids([...stage.held, ...(await readAll(stage.log, '1'))]), ['order-1'])
  })

  test('numbers keep growing if the clock is behind after a restart', async () => {
    await using stage = await stageLog(flavour, createClock(10 * MINUTE_MS))
    await stage.log.append([event()])
    const before = stage.held[0]!.sequence
    await stage.reopen(createClock(0))
    await stage.log.append([event()])
    assert.ok(stage.held.at(-1)!.sequence > before)
  })

  test('when everything is acknowledged no timer runs', async () => {
    const clock = countingClock()
    await using stage = await stageLog(flavour, clock)
    await stage.log.append(events(100))
    assert.equal(clock.waiting(), 0)
    await Promise.all(stage.held.map((delivery) => stage.log.acknowledge(delivery, delivered(clock), null)))
    assert.equal(clock.waiting(), 0)
    await stage.log.acknowledge(stage.held[0]!, delivered(clock), null)
    await stage.log.flush()
    assert.equal(clock.waiting(), 0)
  })

  test('an acknowledgement alone is committed without waiting for an append', async () => {
    await using stage = await stageLog(flavour)
    await stage.log.append([event()])
    await stage.log.acknowledge(stage.held[0]!, delivered(stage.clock), null)
    assert.equal((await stage.log.report({ limit: 1 }))[0]!.state, 'delivered')
  })

  test('a closed log rejects every call', async () => {
    await using stage = await stageLog(flavour)
    await stage.log.close()
    await assert.rejects(stage.log.append([event()]), /closed/)
  })
}

/** Numbers in [0, 1), the same for a seed. */
function numbers(seed: number) {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

for (const flavour of carriersOf(import.meta)) describe(`event log on ${flavour}`, () => eventLogConformance(flavour))
