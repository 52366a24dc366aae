import assert from 'node:assert/strict'
import { test } from 'node:test'
import { defaultSenders } from '../../../src/assemble/way-out.ts'

test('in production two cores are left to other threads, and there are at most four sender threads', () => {
  const threads = [1, 2, 3, 4, 5, 6, 8, 64].map((cores) => defaultSenders(false, cores))
  assert.deepEqual(threads, [0, 0, 1, 2, 3, 4, 4, 4])
})

test('in development the main thread sends, because its clock can be moved', () => {
  assert.deepEqual(
    [1, 2, 8].map((cores) => defaultSenders(true, cores)),
    [0, 0, 0],
  )
})
