import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sayDuration } from '../../src/lib/time.ts'

test('a duration is said in its two largest units', () => {
  assert.deepEqual([400, 1000, 90_000, 3_600_000, 3_605_999, 90_061_001, 172_800_000].map(sayDuration), [
    'less than a second',
    '1 second',
    '1 minute and 30 seconds',
    '1 hour',
    '1 hour',
    '1 day and 1 hour',
    '2 days',
  ])
})
