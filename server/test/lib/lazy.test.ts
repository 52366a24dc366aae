import assert from 'node:assert/strict'
import { test } from 'node:test'
import { lazy } from '../../src/lib/lazy.ts'

test('a lazy value is made with the first call, once, also if it is undefined', () => {
  let calls = 0
  const value = lazy(() => {
    calls += 1
    return undefined
  })
  assert.equal(calls, 0)
  assert.deepEqual([value(), value(), calls], [undefined, undefined, 1])
})
