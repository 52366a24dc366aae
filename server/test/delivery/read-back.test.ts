import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { pino } from 'pino'
import { createReadBack } from '../../src/delivery/read-back.ts'
import { createClock } from '../../src/lib/clock.ts'
import type { Delivery } from '../../src/storage/event-log.ts'

const ID = '77'

/** The deliveries of one webhook that wait in a log, of which a page is read when the test says so. */
function stageReadBack() {
  const real = createClock()
  const delays: number[] = []
  const clock: typeof real = {
    ...real,
    after(delayMs, run, options) {
      delays.push(delayMs)
      return real.after(delayMs, run, options)
    },
  }
  const reading: { resolve(page: Delivery[]): void; reject(error: Error): void }[] = []
  const held: Delivery[] = []
  const it = createReadBack({
    log: { read: () => new Promise<Delivery[]>((resolve, reject) => void reading.push({ resolve, reject })) },
    clock,
    logger: pino({ level: 'silent' }),
    hold: (delivery) => void held.push(delivery),
    pageSize: () => 2,
  })
  return {
    ...it,
    held,
    delays,
    reads: () => reading.length,
    park: () => it.park(ID),
    isParked: () => it.isParked(ID),
    async next() {
      void it.next(ID)
      await turn()
    },
    /** The page that is being read has so many deliveries. */
    async answer(count: number) {
      reading.shift()!.resolve(Array.from({ length: count }, () => ({}) as Delivery))
      await turn()
    },
    async fail() {
      reading.shift()!.reject(new Error('the database went away'))
      await turn()
    },
    async pass(ms: number) {
      clock.advance(ms)
      await turn()
    },
  }
}

test('a parked webhook is read page by page, each when it is asked for, until a page is empty', async () => {
  const stage = stageReadBack()
  assert.equal(stage.isParked(), false)
  await stage.next()
  assert.equal(stage.reads(), 0, 'it is not parked')
  stage.park()
  stage.park()
  assert.equal(stage.isParked(), true)
  await stage.next()
  await stage.next()
  assert.equal(stage.reads(), 1, 'one page at a time')
  await stage.answer(2)
  assert.deepEqual([stage.held.length, stage.reads(), stage.isParked()], [2, 0, true])
  await stage.next()
  await stage.answer(0)
  assert.deepEqual([stage.held.length, stage.reads(), stage.isParked()], [2, 0, false])
})

test('an empty page means nothing if the webhook was parked again while it was read', async () => {
  const stage = stageReadBack()
  stage.park()
  await stage.next()
  stage.park()
  stage.park()
  await stage.answer(0)
  assert.deepEqual([stage.reads(), stage.isParked()], [1, true], 'another page is read at once')
  await stage.answer(0)
  assert.deepEqual([stage.reads(), stage.isParked()], [0, false])
})

test('a page with deliveries leaves the webhook parked, whether it was parked again or not', async () => {
  const stage = stageReadBack()
  stage.park()
  await stage.next()
  stage.park()
  await stage.answer(1)
  assert.deepEqual([stage.held.length, stage.reads(), stage.isParked()], [1, 0, true])
})

test('a page that cannot be read is read again after a second', async () => {
  for (const parksAgain of [false, true]) {
    const stage = stageReadBack()
    stage.park()
    await stage.next()
    if (parksAgain) stage.park()
    await stage.fail()
    assert.equal(stage.isParked(), true)
    assert.deepEqual([stage.reads(), stage.delays], [0, [1000]])
    await stage.pass(1000)
    assert.equal(stage.reads(), 1)
    await stage.answer(0)
    assert.equal(stage.isParked(), false)
  }
})

test('a log that is wiped leaves nothing parked, also while a page is read, and what is parked afterwards is read', async () => {
  const parked = stageReadBack()
  parked.park()
  parked.clear()
  assert.equal(parked.isParked(), false)

  const reading = stageReadBack()
  reading.park()
  await reading.next()
  reading.clear()
  reading.clear()
  assert.equal(reading.isParked(), false)
  await reading.answer(2)
  assert.deepEqual([reading.isParked(), reading.reads()], [false, 0])
  assert.equal(reading.held.length, 0, 'the page was of the log before')

  const failing = stageReadBack()
  failing.park()
  await failing.next()
  failing.clear()
  await failing.fail()
  assert.equal(failing.isParked(), false)
  await failing.pass(1000)
  assert.equal(failing.reads(), 0)

  const again = stageReadBack()
  again.park()
  await again.next()
  again.clear()
  again.park()
  assert.equal(again.isParked(), true)
  await again.answer(0)
  assert.deepEqual([again.isParked(), again.reads()], [true, 1], 'the page was of the log before')

  const full = stageReadBack()
  full.park()
  await full.next()
  full.clear()
  full.park()
  await full.answer(2)
  assert.deepEqual([full.isParked(), full.held.length, full.reads()], [true, 0, 1], 'the page was of the log before')
  await full.answer(1)
  assert.equal(full.held.length, 1)

  const twice = stageReadBack()
  twice.park()
  await twice.next()
  twice.park()
  twice.clear()
  assert.equal(twice.isParked(), false)
  await twice.answer(0)
  assert.deepEqual([twice.isParked(), twice.reads()], [false, 0])
})

test('once stopped no page is read', async () => {
  const stage = stageReadBack()
  stage.park()
  await stage.next()
  stage.stop()
  await stage.fail()
  await stage.pass(1000)
  assert.equal(stage.reads(), 0)
})
