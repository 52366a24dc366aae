import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { retryAfterMs } from '../../src/delivery/retry-plan.ts'

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
