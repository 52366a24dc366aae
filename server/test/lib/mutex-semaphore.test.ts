import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSemaphore, TooManyWaiting } from '../../src/lib/mutex.ts'

/** Runs that end when they are told to. */
function heldRuns() {
  const begun: number[] = []
  const ends: PromiseWithResolvers<string>[] = []
  const runOf = (n: number) => () => {
    begun.push(n)
    ends[n] = Promise.withResolvers()
    return ends[n].promise
  }
  return { begun, ends, runOf }
}

const allSettled = () => new Promise((resolve) => setImmediate(resolve))

test('no more than the maximum run at the same time, and waiting tasks run in order', async () => {
  const { begun, ends, runOf } = heldRuns()
  const inTurn = createSemaphore(2, 10)
  const done = [0, 1, 2, 3, 4].map((n) => inTurn(runOf(n)))
  for (let n = 0; n < 5; n += 1) {
    await allSettled()
    assert.deepEqual(begun, [0, 1, 2, 3, 4].slice(0, n + 2))
    ends[n]!.resolve(`answer ${n}`)
  }
  assert.deepEqual(await Promise.all(done), ['answer 0', 'answer 1', 'answer 2', 'answer 3', 'answer 4'])
})

test('beyond the maximum of waiting tasks others are rejected at once and never run', async () => {
  const { begun, ends, runOf } = heldRuns()
  const inTurn = createSemaphore(1, 2)
  const done = [0, 1, 2].map((n) => inTurn(runOf(n)))
  await assert.rejects(inTurn(runOf(3)), TooManyWaiting)
  for (let n = 0; n < 3; n += 1) {
    await allSettled()
    ends[n]!.resolve('')
  }
  await Promise.all(done)
  assert.deepEqual(begun, [0, 1, 2])
})

test('a task that fails, at once or later, rejects only for its caller and releases its permit', async () => {
  const inTurn = createSemaphore(1, 10)
  const fails = [
    inTurn(async () => Promise.reject(new Error('later'))),
    inTurn(() => {
      throw new Error('at once')
    }),
  ]
  const after = inTurn(async () => 'runs')
  const [first, second] = await Promise.allSettled(fails)
  assert.deepEqual(
    [first, second].map((each) => each?.status === 'rejected' && each.reason.message),
    ['later', 'at once'],
  )
  assert.equal(await after, 'runs')
})

test('after any sequence as many can run as before', async () => {
  const inTurn = createSemaphore(3, 5)
  const outcomes = Array.from({ length: 50 }, (_, n) => inTurn(async () => (n % 2 ? Promise.reject(new Error('no')) : n)))
  const refused = (await Promise.allSettled(outcomes)).filter((each) => each.status === 'rejected' && each.reason instanceof TooManyWaiting)
  assert.equal(refused.length, 42)
  const { begun, ends, runOf } = heldRuns()
  const done = [0, 1, 2, 3].map((n) => inTurn(runOf(n)))
  await allSettled()
  assert.deepEqual(begun, [0, 1, 2])
  for (let n = 0; n < 4; n += 1) {
    ends[n]!.resolve('')
    await allSettled()
  }
  await Promise.all(done)
})
