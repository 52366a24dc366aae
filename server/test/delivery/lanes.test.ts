import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { type Backlog, backlogOf } from '../../src/delivery/dispatch/backlog.ts'
import { createItem } from '../../src/delivery/dispatch/item.ts'
import { createLanes } from '../../src/delivery/lanes/lanes.ts'
import { createClock } from '../../src/lib/clock.ts'
import { sequenceOf } from '../../src/lib/ids.ts'
import type { Delivery } from '../../src/storage/event-log.ts'

const SLOW_MS = 1000

/** Work that ends when the test says so, and a clock whose monotonic time the test moves. */
function stageLanes({ perLane = 1, window = 10 } = {}) {
  let monotonicMs = 0
  const clock = { ...createClock(), monotonic: () => monotonicMs }
  const begun: string[] = []
  const running = new Map<string, () => void>()
  const lanes = createLanes<string>({
    clock,
    perLane,
    window,
    slowMs: SLOW_MS,
    run: (_key, item) => {
      begun.push(item)
      return new Promise((resolve) => void running.set(item, resolve))
    },
  })
  return {
    ...lanes,
    begun,
    async end(item: string) {
      running.get(item)!()
      await turn()
    },
    async pass(ms: number) {
      monotonicMs += ms
      clock.advance(ms)
      await turn()
    },
  }
}

test('a lane has at most its number in flight, and goes on as soon as one has ended', async () => {
  const { push, begun, end, waiting, all } = stageLanes({ perLane: 2 })
  for (const item of ['a', 'b', 'c', 'd']) push('one', 'live', item)
  push('other', 'live', 'x')
  assert.deepEqual(begun, ['a', 'b', 'x'])
  assert.equal(waiting('one', 'live'), 2)
  await end('b')
  assert.deepEqual(begun, ['a', 'b', 'x', 'c'])
  await end('a')
  await end('c')
  await end('d')
  await end('x')
  assert.equal(waiting('one', 'live'), 0)
  assert.deepEqual([...all()], [], 'an empty lane is forgotten')
  push('one', 'live', 'e')
  assert.equal(begun.at(-1), 'e')
})

test('a lane that has nothing waiting still counts what it has in flight', async () => {
  const { push, begun, end } = stageLanes({ perLane: 2 })
  push('one', 'live', 'a')
  push('one', 'live', 'b')
  await end('a')
  push('one', 'live', 'c')
  push('one', 'live', 'd')
  assert.deepEqual(begun, ['a', 'b', 'c'])
})

test('of work that waited together live work begins first', () => {
  const { push, pause, resume, begun } = stageLanes()
  pause()
  for (const kind of ['replay', 'retry', 'live'] as const) push('one', kind, kind)
  resume()
  assert.deepEqual(begun, ['live'])
})

test('live work, retries and replays of a lane take turns', async () => {
  const { push, begun, end } = stageLanes()
  for (const kind of ['replay', 'retry', 'live'] as const) for (const n of [1, 2]) push('one', kind, `${kind} ${n}`)
  for (let n = 0; n < 6; n += 1) await end(begun.at(-1)!)
  assert.deepEqual(begun, ['replay 1', 'live 1', 'retry 1', 'replay 2', 'live 2', 'retry 2'])
})

test('all lanes together have at most the window in flight, of which slow work is no part', async () => {
  const { push, begun, pass, end } = stageLanes({ window: 2 })
  for (const key of ['a', 'b', 'c', 'd']) push(key, 'live', key)
  assert.deepEqual(begun, ['a', 'b'])
  await pass(SLOW_MS - 1)
  assert.deepEqual(begun, ['a', 'b'])
  await pass(1)
  assert.deepEqual(begun, ['a', 'b', 'c', 'd'], 'both have run for a second')
  push('e', 'live', 'e')
  await end('a')
  assert.deepEqual(begun, ['a', 'b', 'c', 'd'], 'slow work that ends makes no room')
  await end('c')
  assert.equal(begun.at(-1), 'e')
})

test('nothing begins while the lanes are paused, and everything when they resume', async () => {
  const { push, pause, resume, begun } = stageLanes()
  pause()
  pause()
  push('a', 'live', 'a')
  push('b', 'retry', 'b')
  assert.deepEqual(begun, [])
  resume()
  resume()
  assert.deepEqual(begun, ['a', 'b'])
})

test('once stopped nothing begins, and the stop ends with what is in flight', async () => {
  for (const isPaused of [false, true]) {
    const { push, pause, resume, stop, begun, end } = stageLanes()
    push('a', 'live', 'a')
    push('a', 'live', 'b')
    if (isPaused) pause()
    let hasStopped = false
    const stopped = stop().then(() => (hasStopped = true))
    resume()
    pause()
    push('c', 'live', 'c')
    await turn()
    assert.deepEqual([begun, hasStopped], [['a'], false])
    await end('a')
    await stopped
    assert.deepEqual(begun, ['a'])
  }
  await stageLanes().stop()
})

test('what waits can be removed, while what is in flight goes on', async () => {
  const { push, clear, begun, end, waiting, all } = stageLanes()
  for (const item of ['a', 'b', 'c']) push('one', 'live', item)
  push('one', 'replay', 'd')
  assert.deepEqual(clear().sort(), ['b', 'c', 'd'])
  assert.deepEqual(clear(), [])
  assert.deepEqual([waiting('one', 'live'), waiting('one', 'replay')], [0, 0])
  push('one', 'live', 'e')
  assert.deepEqual(begun, ['a'])
  await end('a')
  assert.deepEqual(begun, ['a', 'e'])
  await end('e')
  assert.deepEqual([...all()], [])
})

test('the backlog counts what is in flight and what waits by kind, with what is put off, and has the oldest due time but those of replays', () => {
  const lanes = createLanes<ReturnType<typeof createItem>>({
    clock: createClock(),
    perLane: 1,
    window: 10,
    slowMs: SLOW_MS,
    run: () => new Promise(() => {}),
  })
  const item = (dueMs: number) => createItem({ dueMs, sequence: sequenceOf('1') } as Delivery)
  const backlog = (putOff: Parameters<typeof backlogOf>[1] = []): Backlog => backlogOf(lanes.all(), putOff)
  assert.deepEqual(backlog(), { inFlight: 0, waiting: { live: 0, retry: 0, replay: 0 }, oldestDueMs: undefined })
  lanes.push('a', 'replay', item(1))
  lanes.push('a', 'replay', item(2))
  assert.deepEqual(backlog(), { inFlight: 1, waiting: { live: 0, retry: 0, replay: 1 }, oldestDueMs: undefined })
  lanes.push('a', 'retry', item(700))
  lanes.push('b', 'live', item(500))
  lanes.push('b', 'live', item(400))
  assert.deepEqual(backlog(), { inFlight: 2, waiting: { live: 1, retry: 1, replay: 1 }, oldestDueMs: 400 })
  const putOff = [
    ['retry', item(300)],
    ['retry', item(350)],
    ['replay', item(5)],
  ] as const
  assert.deepEqual(backlog(putOff), { inFlight: 2, waiting: { live: 1, retry: 3, replay: 2 }, oldestDueMs: 300 })
})

test('the backlog forgets what has ended, in whatever order it began', async () => {
  const ends: (() => void)[] = []
  const lanes = createLanes<ReturnType<typeof createItem>>({
    clock: createClock(),
    perLane: 2,
    window: 10,
    slowMs: SLOW_MS,
    run: () => new Promise((resolve) => void ends.push(resolve)),
  })
  for (const dueMs of [100, 200, 300]) lanes.push('a', 'live', createItem({ dueMs, sequence: sequenceOf('1') } as Delivery))
  assert.equal(backlogOf(lanes.all(), []).oldestDueMs, 100)
  ends[0]!()
  await turn()
  assert.deepEqual([ends.length, backlogOf(lanes.all(), []).oldestDueMs], [3, 200])
  ends[2]!()
  await turn()
  assert.deepEqual(backlogOf(lanes.all(), []), { inFlight: 1, waiting: { live: 0, retry: 0, replay: 0 }, oldestDueMs: 200 })
})
