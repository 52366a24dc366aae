import assert from 'node:assert/strict'
import { test } from 'node:test'
import { oncePer } from '../../src/lib/lazy.ts'

test('a value is made once for each object, also one that is undefined', () => {
  const asked: object[] = []
  const once = oncePer((key: { value?: number }) => {
    asked.push(key)
    return key.value
  })
  const [one, other] = [{ value: 1 }, {}]
  assert.deepEqual([once(one), once(other), once(one), once(other)], [1, undefined, 1, undefined])
  assert.deepEqual(asked, [one, other])
})
