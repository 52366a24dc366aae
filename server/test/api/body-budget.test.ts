import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createBodyBudget } from '../../src/api/http/large-bodies.ts'
import { createClock } from '../../src/lib/clock.ts'

const staying = new AbortController().signal

const stageBudget = () => {
  const clock = createClock()
  return { clock, budget: createBodyBudget(clock, { bytes: 100, mostWaiting: 2, longestWaitMs: 1000 }) }
}

test('bodies are admitted while they fit, and later ones in order as earlier ones are done', async () => {
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

test('a body larger than the whole budget is admitted alone', async () => {
  const { budget } = stageBudget()
  const release = await budget.take(1000, staying)
  assert.equal(budget.taken(), 100)
  release!()
  assert.equal(budget.taken(), 0)
})

test('beyond the maximum of waiting requests others are rejected at once, and a request that waits too long is rejected then', async () => {
  const { clock, budget } = stageBudget()
  const release = await budget.take(100, staying)
  const waiting = [budget.take(1, staying), budget.take(1, staying)]
  assert.equal(await budget.take(1, staying), undefined)
  clock.advance(1000)
  assert.deepEqual(await Promise.all(waiting), [undefined, undefined])
  release!()
  assert.equal(budget.taken(), 0)
})

test('a client that disconnects while it waits takes nothing, and lets later ones pass', async () => {
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
