import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { nextTryMs, retryAfterMs } from '../../src/delivery/retry-plan.ts'

const NOW_MS = Date.UTC(2026, 2, 1, 12)
const HOUR_MS = 3_600_000

test('a Retry-After in seconds or as a date is used, at most an hour', () => {
  fc.assert(
    fc.property(fc.nat({ max: 100_000 }), (seconds) => {
      const ms = Math.min(seconds * 1000, HOUR_MS)
      assert.equal(retryAfterMs(String(seconds), NOW_MS), ms)
      assert.equal(retryAfterMs(new Date(NOW_MS + seconds * 1000).toUTCString(), NOW_MS), ms)
      assert.equal(retryAfterMs(new Date(NOW_MS - seconds * 1000).toUTCString(), NOW_MS), 0)
    }),
  )
})

test('any Retry-After gives a wait between zero and an hour, or none', () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.string(), fc.bigInt().map(String), fc.double().map(String), fc.date({ noInvalidDate: true }).map(String)),
      (header) => {
        const ms = retryAfterMs(header, NOW_MS)
        assert.ok(ms === undefined || (ms >= 0 && ms <= HOUR_MS), `${header}: ${ms}`)
      },
    ),
  )
})

test('a retry is due after a random part of its delay in the plan, at least half, but not before the Retry-After, and none is after the last', () => {
  const plan = [5_000, 30_000]
  const dueIn = (attemptsMade: number, random: number, retryAfter?: number) => {
    const dueMs = nextTryMs(plan, attemptsMade, NOW_MS, retryAfter, 'equal', () => random)
    return dueMs === null ? null : dueMs - NOW_MS
  }
  assert.deepEqual([dueIn(1, 0.5), dueIn(2, 0.5), dueIn(3, 0.5)], [3_750, 22_500, null])
  assert.deepEqual([dueIn(1, 0), dueIn(2, 1)], [2_500, 30_000])
  assert.deepEqual([dueIn(1, 0.5, 3_749), dueIn(1, 0.5, 3_751), dueIn(1, 0.5, 0)], [3_750, 3_751, 3_750])
})
