import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { pino } from 'pino'
import { createDueRetries } from '../../src/delivery/due-retries.ts'
import { createClock } from '../../src/lib/clock.ts'
import type { Delivery } from '../../src/storage/event-log.ts'

/** As many promises as may be resolved between two steps of one piece of work. */
const MOST_STEPS = 12

for (let steps = 0; steps <= MOST_STEPS; steps += 1) {
  test(`a call ${steps} steps after the last due time was read is served`, async () => {
    let pages = 0
    let isFirst = true
    const askLater = (left: number): void => void (left === 0 ? retries.take() : queueMicrotask(() => askLater(left - 1)))
    const retries = createDueRetries({
      log: {
        takeDue: async () => {
          pages += 1
          return []
        },
        nextDueMs: async () => {
          if (isFirst) askLater(steps)
          isFirst = false
          return undefined
        },
      },
      clock: createClock(),
      logger: pino({ level: 'silent' }),
      hold: () => {},
      mayHoldMore: () => true,
    })
    await retries.take()
    await new Promise(setImmediate)
    assert.equal(pages, 2)
    retries.stop()
  })
}

/** Retries of webhooks whose pages are read when the test says so. */
function stageRetries() {
  const clock = createClock()
  const held: string[] = []
  const asked: { skipped: readonly string[]; resolve(page: Delivery[]): void; reject(error: Error): void }[] = []
  const full = new Set<string>()
  let nextDueMs: number | Error | undefined
  const retries = createDueRetries({
    log: {
      takeDue: (_nowMs, most, skipped = []) => {
        assert.equal(most, 256)
        return new Promise((resolve, reject) => void asked.push({ skipped, resolve, reject }))
      },
      async nextDueMs() {
        if (nextDueMs instanceof Error) throw nextDueMs
        return nextDueMs
      },
    },
    clock,
    logger: pino({ level: 'silent' }),
    hold: ({ webhookId }) => void held.push(webhookId),
    mayHoldMore: (webhookId) => !full.has(webhookId),
  })
  return {
    ...retries,
    clock,
    held,
    full,
    setNextDue(ms: number | Error | undefined) {
      nextDueMs = ms
    },
    async begin() {
      void retries.take()
      await turn()
    },
    reading: () => asked.length,
    /** Ends the reading of a page; answers which webhooks it was to leave out. An id may say how many bytes are delivered: `a 100`. */
    async answer(...deliveries: string[]) {
      const { skipped, resolve } = asked.shift()!
      const split = deliveries.map((text) => text.split(' ') as [webhookId: string, bytes?: string])
      resolve(split.map(([webhookId, bytes = '0']) => ({ webhookId, content: Buffer.alloc(Number(bytes)) }) as Delivery))
      await turn()
      return skipped
    },
    async fail() {
      asked.shift()!.reject(new Error('the database went away'))
      await turn()
    },
    async pass(ms: number) {
      clock.advance(ms)
      await turn()
    },
  }
}

const full = (webhookId: string) => Array.from({ length: 256 }, () => webhookId)

test('a full page is followed by another, also when there was a call meanwhile, and a page that is not full by none', async () => {
  const stage = stageRetries()
  await stage.begin()
  await stage.answer(...full('a'))
  assert.equal(stage.reading(), 1)
  await stage.begin()
  await stage.answer(...full('a'))
  assert.equal(stage.reading(), 1)
  await stage.answer('a')
  assert.deepEqual([stage.reading(), stage.held.length], [0, 513])
})

test('a page that was cut off at a megabyte is followed by another', async () => {
  const stage = stageRetries()
  await stage.begin()
  await stage.answer('a 600000', 'a 448576')
  assert.equal(stage.reading(), 1)
  await stage.answer('a 600000', 'a 448575')
  assert.equal(stage.reading(), 0)
})

test('calls while a page is read are served by one more page', async () => {
  const stage = stageRetries()
  for (let calls = 0; calls < 3; calls += 1) await stage.begin()
  assert.equal(stage.reading(), 1)
  await stage.answer()
  assert.equal(stage.reading(), 1)
  await stage.answer()
  assert.equal(stage.reading(), 0)
})

test('a page that cannot be read is read again after a second, whether there was a call meanwhile or not', async () => {
  for (const isCalledAgain of [false, true]) {
    const stage = stageRetries()
    await stage.begin()
    if (isCalledAgain) await stage.begin()
    await stage.fail()
    await stage.pass(900)
    assert.equal(stage.reading(), 0)
    await stage.pass(100)
    assert.equal(stage.reading(), 1)
    await stage.answer()
    assert.equal(stage.reading(), 0)
  }
})

test('a webhook that holds its maximum is left out until it holds fewer, and the others are not', async () => {
  const stage = stageRetries()
  stage.full.add('a')
  await stage.begin()
  assert.deepEqual(await stage.answer('a', 'b'), [])
  stage.acknowledged('a')
  assert.equal(stage.reading(), 0, 'it still holds its maximum')
  await stage.begin()
  assert.deepEqual(await stage.answer(), ['a'])
  assert.deepEqual([stage.isSkipped('a'), stage.isSkipped('b')], [true, false])
  stage.full.delete('a')
  stage.acknowledged('b')
  assert.equal(stage.reading(), 0, 'b was not left out')
  stage.acknowledged('a')
  assert.deepEqual(await stage.answer(), [])
  stage.acknowledged('a')
  assert.equal(stage.reading(), 0)
})

test('retries are taken at the time of the next one, at the earliest that was set, and not after the log was wiped or the stop', async () => {
  const stage = stageRetries()
  const startMs = stage.clock.now()
  stage.setNextDue(startMs + 60_000)
  await stage.begin()
  await stage.answer()
  stage.wakeAt(startMs + 90_000)
  await stage.pass(59_000)
  assert.equal(stage.reading(), 0)
  stage.wakeAt(startMs + 59_500)
  await stage.pass(900)
  assert.equal(stage.reading(), 1)
  stage.setNextDue(undefined)
  await stage.answer()
  stage.wakeAt(stage.clock.now() + 1000)
  stage.clear()
  await stage.pass(5000)
  assert.equal(stage.reading(), 0)
  stage.wakeAt(stage.clock.now() + 1000)
  stage.stop()
  stage.wakeAt(stage.clock.now() + 1000)
  await stage.pass(5000)
  assert.equal(stage.reading(), 0)
})

test('what another process has planned is taken when it is due, once it was looked for, also when that failed at first', async () => {
  const stage = stageRetries()
  stage.setNextDue(stage.clock.now() + 60_000)
  await stage.lookAhead()
  await stage.pass(59_000)
  assert.equal(stage.reading(), 0)
  await stage.pass(1_000)
  assert.equal(stage.reading(), 1)
  stage.setNextDue(undefined)
  await stage.answer()
  await stage.lookAhead()
  await stage.pass(60_000)
  assert.equal(stage.reading(), 0)
  stage.setNextDue(new Error('the database went away'))
  await stage.lookAhead()
  await stage.pass(1_000)
  assert.equal(stage.reading(), 1)
})
