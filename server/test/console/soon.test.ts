import assert from 'node:assert/strict'
import { after, before, mock, test } from 'node:test'
import { createSoon } from '../../../console/src/parts/soon.ts'

before(() => mock.timers.enable({ apis: ['setTimeout'] }))
after(() => mock.timers.reset())

/** Lets so much time pass, and what it causes be done. */
async function pass(ms: number) {
  mock.timers.tick(ms)
  await new Promise(setImmediate)
}

test('what is asked for every 100 ms, for two seconds, runs every 400 ms and after the last time', async () => {
  let runs = 0
  const { ask } = createSoon(() => {
    runs += 1
  }, 400)
  for (let asked = 0; asked < 20; asked++) {
    ask()
    await pass(100)
  }
  assert.ok(runs >= 3 && runs <= 5, `it ran ${runs} times`)
  const before = runs
  await pass(400)
  assert.equal(runs, before + 1)
  await pass(10_000)
  assert.equal(runs, before + 1)
})

test('what is asked for once runs once', async () => {
  let runs = 0
  const { ask } = createSoon(() => {
    runs += 1
  }, 400)
  ask()
  await pass(399)
  assert.equal(runs, 0)
  await pass(1)
  await pass(10_000)
  assert.equal(runs, 1)
})

test('what is asked for while it runs does not run beside itself, but once more after that', async () => {
  const ends: (() => void)[] = []
  const { ask } = createSoon(() => new Promise<void>((resolve) => ends.push(resolve)), 400)
  ask()
  await pass(400)
  ask()
  ask()
  await pass(10_000)
  assert.equal(ends.length, 1)
  ends[0]!()
  await pass(0)
  await pass(400)
  assert.equal(ends.length, 2)
  ends[1]!()
  await pass(10_000)
  assert.equal(ends.length, 2)
})

test('what is stopped does not run any more, also where it was asked for while it ran', async () => {
  const ends: (() => void)[] = []
  const { ask, stop } = createSoon(() => new Promise<void>((resolve) => ends.push(resolve)), 400)
  ask()
  await pass(400)
  ask()
  stop()
  ends[0]!()
  await pass(10_000)
  assert.equal(ends.length, 1)
  const other = createSoon(assert.fail, 400)
  other.ask()
  other.stop()
  await pass(10_000)
})
