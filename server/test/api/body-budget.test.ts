import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createBodyBudget } from '../../src/api/http/body-budget.ts'
import { createClock } from '../../src/lib/clock.ts'

const staying = new AbortController().signal

const stageBudget = () => {
  const clock = createClock()
  return { clock, budget: createBodyBudget(clock, { bytes: 100, mostWaiting: 2, longestWaitMs: 1000 }) }
}

test('bodies are let in while they fit, and the next as those before it are done, in their order', async () => {
  const { budget } = stageBudget()
  const first = await budget.take(60, staying)
  const second = budget.take(60, staying)
  const third = budget.take(10, staying)
  assert.equal(budget.taken(), 60)
  first!()
  const [ofSecond, ofThird] = [await second, await third]
  assert.equal(budget.taken(), 70)
  ofSecond!()
  ofSecond!()
  ofThird!()
  assert.equal(budget.taken(), 0)
})

test('one that is larger than the whole budget is let in alone', async () => {
  const { budget } = stageBudget()
  const release = await budget.take(1000, staying)
  assert.equal(budget.taken(), 100)
  release!()
  assert.equal(budget.taken(), 0)
})

test('more than may wait are refused at once, and whoever waits too long is refused then', async () => {
  const { clock, budget } = stageBudget()
  const release = await budget.take(100, staying)
  const waiting = [budget.take(1, staying), budget.take(1, staying)]
  assert.equal(await budget.take(1, staying), undefined)
  clock.advance(1000)
  assert.deepEqual(await Promise.all(waiting), [undefined, undefined])
  release!()
  assert.equal(budget.taken(), 0)
})

test('whoever leaves while it waits takes nothing, and lets those behind it pass', async () => {
  const { budget } = stageBudget()
  const release = await budget.take(50, staying)
  const leaving = new AbortController()
  const large = budget.take(100, leaving.signal)
  const small = budget.take(50, staying)
  leaving.abort()
  assert.equal(await large, undefined)
  ;(await small)!()
  release!()
  assert.equal(budget.taken(), 0)
  assert.equal(await budget.take(1, leaving.signal), undefined)
})
