import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { pino } from 'pino'
import { createTakeOver } from '../../src/delivery/dispatch/take-over.ts'
import { createClock } from '../../src/lib/clock.ts'

/** Takeovers that end when the test says so. */
function stageTakeOver() {
  const clock = createClock()
  const running: { resolve(): void; reject(error: Error): void }[] = []
  let begun = 0
  const it = createTakeOver({
    takeOver: () => {
      begun += 1
      return new Promise<void>((resolve, reject) => void running.push({ resolve, reject }))
    },
    clock,
    logger: pino({ level: 'silent' }),
  })
  return {
    ...it,
    begun: () => begun,
    async end() {
      running.shift()!.resolve()
      await turn()
    },
    async fail() {
      running.shift()!.reject(new Error('the database went away'))
      await turn()
    },
    async pass(ms: number) {
      clock.advance(ms)
      await turn()
    },
  }
}

test('a call takes over at once, and one after it has ended once more', async () => {
  const stage = stageTakeOver()
  stage.wake()
  assert.equal(stage.begun(), 1)
  await stage.end()
  assert.equal(stage.begun(), 1)
  stage.wake()
  assert.equal(stage.begun(), 2)
  await stage.end()
})

test('calls while it is taking over are served by one more takeover', async () => {
  const stage = stageTakeOver()
  for (let calls = 0; calls < 4; calls += 1) stage.wake()
  assert.equal(stage.begun(), 1)
  await stage.end()
  assert.equal(stage.begun(), 2)
  await stage.end()
  assert.equal(stage.begun(), 2)
})

for (const calls of [0, 1])
  test(`a takeover that fails after ${calls} more calls is made again after a second, or at the next call`, async () => {
    const stage = stageTakeOver()
    stage.wake()
    for (let call = 0; call < calls; call += 1) stage.wake()
    await stage.fail()
    await stage.pass(900)
    assert.equal(stage.begun(), 1)
    await stage.pass(100)
    assert.equal(stage.begun(), 2)
    await stage.fail()
    stage.wake()
    assert.equal(stage.begun(), 3)
    await stage.pass(1000)
    assert.equal(stage.begun(), 3, 'the call came first')
    await stage.end()
  })

test('once stopped nothing is taken over, whatever it was doing', async () => {
  const idle = stageTakeOver()
  const taking = stageTakeOver()
  const again = stageTakeOver()
  const waiting = stageTakeOver()
  for (const stage of [taking, again, waiting]) stage.wake()
  again.wake()
  await waiting.fail()
  for (const stage of [idle, taking, again, waiting]) {
    stage.stop()
    stage.stop()
    stage.wake()
  }
  await taking.end()
  await again.fail()
  for (const stage of [idle, taking, again, waiting]) await stage.pass(2000)
  assert.deepEqual(
    [idle, taking, again, waiting].map((stage) => stage.begun()),
    [0, 1, 1, 1],
  )
})
