import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Worker } from 'node:worker_threads'
import { Client } from 'pg'
import type { Delivery, EventLog, Reopening } from '../../src/storage/event-log.ts'
import { type Carrier, carriersOf, delivered, event, events, failed, stageLog, to, uuids } from './event-log-stage.ts'

type StagedLog = Awaited<ReturnType<typeof stageLog>>

const MOST = Number.MAX_SAFE_INTEGER

/** Everything of webhook 1 that has ended. */
const everything = ({ clock }: StagedLog, more: Partial<Reopening> = {}): Reopening => ({
  webhookId: '1',
  after: 0,
  before: MOST,
  states: ['delivered', 'given_up', 'not_sent'],
  dueMs: clock.now(),
  limit: 1000,
  ...more,
})

const statesOf = async (log: EventLog) => (await log.report({ limit: 100 })).map(({ state }) => state).reverse()

/** Five events for webhook 1: delivered, given up, not sent, retrying, pending. */
async function fiveStates(stage: StagedLog): Promise<Delivery[]> {
  const { log, clock, held } = stage
  await log.append([...events(2), event({ targets: [{ webhookId: '1', match: 'm', notSent: 'webhook invalid' }] }), ...events(2)])
  const [one, two, four, five] = held as [Delivery, Delivery, Delivery, Delivery]
  await log.acknowledge(one, delivered(clock), null)
  await log.acknowledge(two, failed(clock), null)
  await log.acknowledge(four, failed(clock), clock.now() + 60_000)
  assert.deepEqual(await statesOf(log), ['delivered', 'given_up', 'not_sent', 'retrying', 'pending'])
  return [one, two, four, five]
}

function operatorConformance(flavour: Carrier) {
  test('the response of an attempt is kept, that of a replay too', async () => {
    await using stage = await stageLog(flavour)
    const { log, clock, held } = stage
    await log.append([event()])
    await log.acknowledge(held[0]!, { ...failed(clock), response: 'déjà vu' }, clock.now() + 1)
    await log.recordReplay(held[0]!, '77', { ...delivered(clock), atMs: clock.now() + 10, response: 'fine' })
    await log.flush()
    const [report] = await log.report({ limit: 1 })
    assert.deepEqual(
      report!.attempts.map(({ response }) => response),
      ['déjà vu', 'fine'],
    )
  })

  test('events are counted up to a limit, and the oldest is dated', async () => {
    await using stage = await stageLog(flavour)
    const { log, clock } = stage
    assert.deepEqual(await log.extent(10), { events: 0, oldestMs: undefined })
    const beganMs = clock.now()
    await log.append(events(3))
    const { events: all, oldestMs } = await log.extent(10)
    assert.equal(all, 3)
    assert.ok(oldestMs! >= beganMs && oldestMs! <= clock.now())
    assert.deepEqual(await log.extent(2), { events: 2, oldestMs })
    for (let time = 0; time < 11; time++) await log.append(events(1000))
    assert.deepEqual(await log.extent(20_000), { events: 11_003, oldestMs })
    assert.deepEqual(await log.extent(10_500), { events: 10_500, oldestMs })
  })

  test('deliveries that have ended are open again and due at once, with their attempts counted; those that are open stay as they are', async () => {
    await using stage = await stageLog(flavour)
    const { log, clock } = stage
    await fiveStates(stage)
    assert.deepEqual(await log.reopen(everything(stage)), { count: 3, next: null })
    assert.deepEqual(await statesOf(log), ['retrying', 'retrying', 'retrying', 'retrying', 'pending'])
    const due = await log.takeDue(clock.now(), 10)
    assert.deepEqual(
      due.map(({ attempts }) => attempts),
      [1, 1, 1],
    )
    await Promise.all(due.map((delivery) => log.acknowledge(delivery, delivered(clock), null)))
    const reports = await log.report({ limit: 100 })
    assert.deepEqual(reports.map(({ state, attempts }) => [state, attempts.map(({ n }) => n)]).reverse(), [
      ['delivered', [1, 2]],
      ['delivered', [1, 2]],
      ['delivered', [1, 2]],
      ['retrying', [1]],
      ['pending', []],
    ])
  })

  test('what is opened again twice at once, or while it is in flight, is opened once', async () => {
    await using stage = await stageLog(flavour)
    const { log, clock } = stage
    await fiveStates(stage)
    const both = await Promise.all([log.reopen(everything(stage)), log.reopen(everything(stage))])
    assert.equal(both[0].count + both[1].count, 3)
    const inFlight = await log.takeDue(clock.now(), 10)
    assert.equal(inFlight.length, 3)
    assert.deepEqual(await log.reopen(everything(stage)), { count: 0, next: null })
    assert.deepEqual(await log.takeDue(clock.now(), 10), [])
  })

  test('only the states, the webhook and the range that are asked for are opened again, oldest first, and it goes on where it stopped', async () => {
    await using stage = await stageLog(flavour)
    const { log, clock, held } = stage
    await fiveStates(stage)
    assert.deepEqual(await log.reopen(everything(stage, { webhookId: '2' })), { count: 0, next: null })
    assert.equal((await log.reopen(everything(stage, { states: ['not_sent'] }))).count, 1)
    assert.deepEqual(await statesOf(log), ['delivered', 'given_up', 'retrying', 'retrying', 'pending'])
    const first = held[0]!.sequence
    assert.deepEqual(await log.reopen(everything(stage, { before: first })), { count: 0, next: null })
    assert.deepEqual(await log.reopen(everything(stage, { limit: 1 })), { count: 1, next: first })
    assert.deepEqual(await statesOf(log), ['retrying', 'given_up', 'retrying', 'retrying', 'pending'])
    assert.equal((await log.reopen(everything(stage, { after: first }))).count, 1)
    assert.equal((await log.takeDue(clock.now(), 10)).length, 3)
  })

  test('only deliveries of a type are opened again where one is named, and a dry run counts them and opens none', async () => {
    await using stage = await stageLog(flavour)
    const { log, clock, held } = stage
    await log.append([...events(3), event({ eventType: 'follow.follow' })])
    await Promise.all(held.map((delivery) => log.acknowledge(delivery, failed(clock), null)))
    assert.deepEqual(await log.reopen(everything(stage, { isDryRun: true, limit: MOST })), { count: 4, next: null })
    assert.deepEqual(await log.reopen(everything(stage, { isDryRun: true, eventType: 'follow.follow' })), { count: 1, next: null })
    assert.deepEqual(await statesOf(log), ['given_up', 'given_up', 'given_up', 'given_up'])
    assert.deepEqual(await log.reopen(everything(stage, { eventType: 'follow.follow' })), { count: 1, next: null })
    assert.deepEqual(await statesOf(log), ['given_up', 'given_up', 'given_up', 'retrying'])
  })

  test('events are found by bytes of their content, newest first, in slices of so many events and so many bytes', async () => {
    await using stage = await stageLog(flavour)
    const { log } = stage
    const carrying = (text: string) => event({ content: Buffer.from(text) })
    await log.append([carrying('one %'), carrying('two'), carrying('three %'), carrying('four é')])
    const search = (bytes: string, more: object = {}) =>
      log.search({ bytes: Buffer.from(bytes), from: 0, before: MOST, looks: 100, limit: 100, ...more })
    const contents = ({ found }: Awaited<ReturnType<typeof search>>) => found.map(({ content }) => content.toString())
    assert.deepEqual(contents(await search('%')), ['three %', 'one %'])
    assert.deepEqual(contents(await search('é')), ['four é'])
    const first = await search('%', { looks: 2 })
    assert.deepEqual(contents(first), ['three %'])
    const second = await search('%', { looks: 2, before: first.last! })
    assert.deepEqual(contents(second), ['one %'])
    const third = await search('%', { looks: 2, before: second.last! })
    assert.deepEqual([contents(third), third.last], [[], null])
    const limited = await search('%', { limit: 1 })
    assert.deepEqual([contents(limited), limited.last], [['three %'], first.found[0]!.sequence])
    assert.deepEqual(contents(await search('%', { limit: 1, before: limited.last! })), ['one %'])
    assert.deepEqual(contents(await search('%', { from: first.found[0]!.sequence })), ['three %'])

    await log.append(Array.from({ length: 5 }, () => event({ content: Buffer.alloc(400 << 10, 'x') })))
    const sized = await search('xx')
    assert.equal(sized.found.length, 3)
    assert.equal((await search('xx', { before: sized.last! })).found.length, 2)
  })

  test('more deliveries than one slice looks at are opened again', async () => {
    await using stage = await stageLog(flavour)
    const { log, clock, held } = stage
    await log.append(events(1201))
    await Promise.all(held.map((delivery) => log.acknowledge(delivery, delivered(clock), null)))
    const limited = await log.reopen(everything(stage))
    assert.deepEqual(limited, { count: 1000, next: held[999]!.sequence })
    assert.deepEqual(await log.reopen(everything(stage, { after: limited.next! })), { count: 201, next: null })
  })

  test('what is opened again outlasts a restart', async () => {
    await using stage = await stageLog(flavour)
    const { log, clock, held } = stage
    await log.append([event()])
    await log.acknowledge(held[0]!, failed(clock), null)
    await log.reopen(everything(stage))
    await stage.reopen()
    assert.deepEqual(uuids(await stage.log.takeDue(clock.now(), 10)), uuids(held.slice(0, 1)))
  })

  test('retries are counted once they are due, up to a limit, and not while they are held', async () => {
    await using stage = await stageLog(flavour)
    const { log, clock, held } = stage
    assert.deepEqual(await log.dueRetries(clock.now(), 10), { count: 0, sinceMs: undefined })
    await log.append(events(4))
    const now = clock.now()
    await Promise.all(held.map((delivery, place) => log.acknowledge(delivery, failed(clock), now + 100 * (place + 1))))
    assert.deepEqual(await log.dueRetries(now, 10), { count: 0, sinceMs: undefined })
    assert.deepEqual(await log.dueRetries(now + 300, 10), { count: 3, sinceMs: now + 100 })
    assert.deepEqual(await log.dueRetries(now + 300, 2), { count: 2, sinceMs: now + 100 })
    assert.deepEqual([await log.plannedRetries(now + 100, now + 300, 10), await log.plannedRetries(now, now + 400, 3)], [2, 3])
    assert.equal(await log.plannedRetries(now + 400, now + 500, 10), 0)
    await log.takeDue(now + 100, 1)
    assert.deepEqual(await log.dueRetries(now + 300, 10), { count: 2, sinceMs: now + 200 })
  })

  test('deliveries are found by when their next attempt is due, from a time until before another', async () => {
    await using stage = await stageLog(flavour)
    const { log, clock, held } = stage
    await log.append(events(5))
    const now = clock.now()
    const [gone, ...retried] = held
    await log.acknowledge(gone!, failed(clock), null)
    await Promise.all(retried.map((delivery, place) => log.acknowledge(delivery, failed(clock), now + 100 * (place + 1))))
    const dueIn = async (fromMs: number, toMs: number, more: object = {}) => {
      const { reports } = await log.reportPage({ nextTry: { fromMs: now + fromMs, toMs: now + toMs }, limit: 10, ...more })
      return reports.map(({ nextTryAtMs }) => nextTryAtMs! - now)
    }
    assert.deepEqual(await dueIn(0, 1000), [400, 300, 200, 100])
    assert.deepEqual(await dueIn(200, 400, { state: 'retrying' }), [300, 200])
    assert.deepEqual(await dueIn(200, 400, { state: 'given_up' }), [])
    assert.deepEqual(await dueIn(0, 1000, { state: 'retrying', limit: 2 }), [400, 300])
    assert.deepEqual(await dueIn(500, 1000), [])
  })

  test('the open deliveries of each webhook are counted: held, waiting and retrying', async () => {
    await using stage = await stageLog(flavour)
    const { log, clock, held } = stage
    await fiveStates(stage)
    await log.append(events(3, { targets: to('2', '3') }))
    log.park(
      '2',
      held.filter(({ webhookId }) => webhookId === '2'),
    )
    await log.flush()
    await log.append(events(2, { targets: to('2') }))
    await log.acknowledge(held.find(({ webhookId }) => webhookId === '3')!, delivered(clock), null)
    const counts = await log.countOpen(['1', '2', '3', '4'], 100)
    assert.deepEqual(
      ['1', '2', '3', '4'].map((id) => counts.get(id)?.count),
      [2, 5, 2, 0],
    )
    await log.read('2', 2)
    assert.equal((await log.countOpen(['2'], 100)).get('2')?.count, 5)
  })

  test('a delivery whose failure is about to be recorded is open, not gone', async () => {
    await using stage = await stageLog(flavour)
    const { log, clock, held } = stage
    await log.append(events(20))
    const recorded = held.map((delivery) => log.acknowledge(delivery, failed(clock), clock.now() + 60_000))
    assert.equal((await log.countOpen(['1'], 100)).get('1')?.count, 20)
    await Promise.all(recorded)
    assert.equal((await log.countOpen(['1'], 100)).get('1')?.count, 20)
  })

  test('open deliveries are counted up to a limit, held, waiting and retrying ones together', async () => {
    await using stage = await stageLog(flavour)
    const { log, clock, held } = stage
    await log.append(events(6, { targets: to('1', '2') }))
    for (const delivery of held.filter(({ webhookId }) => webhookId === '1').slice(0, 3))
      await log.acknowledge(delivery, failed(clock), clock.now() + 60_000)
    log.park('2', held.filter(({ webhookId }) => webhookId === '2').slice(2))
    await log.flush()
    for (const [limit, expected] of [
      [4, 4],
      [6, 6],
      [9, 6],
    ] as const)
      assert.deepEqual(
        [...(await log.countOpen(['1', '2'], limit)).values()].map(({ count }) => count),
        [expected, expected],
        `up to ${limit}`,
      )
  })

  test('the open deliveries of a hundred webhooks are counted with few queries, whatever their backlog', async (context) => {
    await using stage = await stageLog(flavour)
    const ids = Array.from({ length: 100 }, (_, n) => String(n + 1))
    await stage.log.append(events(2, { targets: to(...ids) }))
    for (const id of ids)
      stage.log.park(
        id,
        stage.held.filter(({ webhookId }) => webhookId === id),
      )
    await stage.log.append(events(30, { targets: to(...ids) }))
    await stage.log.flush()
    const queries =
      flavour === 'sqlite' ? context.mock.method(Worker.prototype, 'postMessage') : context.mock.method(Client.prototype, 'query')
    const counts = await stage.log.countOpen(ids, 20)
    // With those of connections that are opened, and of what the log does meanwhile.
    assert.ok(queries.mock.callCount() >= 1 && queries.mock.callCount() <= 50, `${queries.mock.callCount()} queries`)
    assert.deepEqual(new Set([...counts.values()].map(({ count }) => count)), new Set([20]))
    assert.deepEqual(new Set([...(await stage.log.countOpen(ids, 100)).values()].map(({ count }) => count)), new Set([32]))
  })

  test('each commit is told with its duration', async () => {
    await using stage = await stageLog(flavour)
    const commits: [number, boolean][] = []
    stage.log.onCommit((durationMs, succeeded) => void commits.push([durationMs, succeeded]))
    await stage.log.append([event()])
    assert.equal(commits.length, 1)
    assert.equal(commits[0]![1], true)
    assert.ok(commits[0]![0] > 0)
  })
}

for (const flavour of carriersOf(import.meta)) describe(`event log for operators on ${flavour}`, () => operatorConformance(flavour))
