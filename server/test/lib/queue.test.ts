import assert from 'node:assert/strict'
import { test } from 'node:test'
import { emptyQueue, lengthOf, take, takeAll } from '../../src/lib/queue.ts'

test('items are taken in order, however many, and taken items are not retained', () => {
  const queue = emptyQueue<number>()
  let next = 0
  for (let n = 0; n < 3000; n += 1) {
    queue.items.push(n)
    if (n % 3 !== 0) assert.equal(take(queue), next++)
  }
  assert.equal(lengthOf(queue), 3000 - next)
  while (lengthOf(queue) > 0) assert.equal(take(queue), next++)
  assert.deepEqual([next, take(queue)], [3000, undefined])
  assert.ok(queue.items.every((item) => item === undefined))
})

test('takeAll returns the rest in order', () => {
  const queue = emptyQueue<string>()
  queue.items.push('a', 'b', 'c')
  take(queue)
  assert.deepEqual([takeAll(queue), lengthOf(queue), take(queue)], [['b', 'c'], 0, undefined])
})
