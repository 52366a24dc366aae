import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nextChallengeAtMs } from '../../src/delivery/challenge-slot.ts'
import { nextTryMs, retryAfterMs } from '../../src/delivery/retry-plan.ts'

const HOUR_MS = 3_600_000
const NOW_MS = Date.UTC(2026, 2, 1, 12, 34, 56)

test('hourly challenges are spread evenly over the hour, each webhook at its own time of every hour', () => {
  const ids = Array.from({ length: 12_000 }, (_, index) => String(1_997_712_707_928_100 + index))
  const minutes = new Array<number>(60).fill(0)
  for (const id of ids) {
    const next = nextChallengeAtMs(id, NOW_MS)
    assert.ok(next > NOW_MS && next <= NOW_MS + HOUR_MS)
    assert.equal(nextChallengeAtMs(id, next), next + HOUR_MS)
    minutes[Math.floor((next - NOW_MS - 1) / 60_000)]! += 1
  }
  assert.ok(
    minutes.every((count) => count > 130 && count < 280),
    `${minutes}`,
  )
})

test('a retry waits a random time from half of the delay of its place in the plan to all of it, and the plan ends', () => {
  const plan = [5_000, 30_000]
  assert.equal(
    nextTryMs(plan, 1, NOW_MS, undefined, 'equal', () => 0.5),
    NOW_MS + 3_750,
  )
  assert.equal(
    nextTryMs(plan, 2, NOW_MS, undefined, 'equal', () => 1),
    NOW_MS + 30_000,
  )
  assert.equal(
    nextTryMs(plan, 1, NOW_MS, undefined, 'equal', () => 0),
    NOW_MS + 2_500,
  )
  assert.equal(nextTryMs(plan, 3, NOW_MS, undefined, 'equal'), null)
})

test('without jitter a retry waits exactly the delay of its place in the plan', () => {
  const plan = [5_000, 30_000]
  assert.equal(nextTryMs(plan, 1, NOW_MS, undefined, 'none'), NOW_MS + 5_000)
  assert.equal(nextTryMs(plan, 2, NOW_MS, undefined, 'none'), NOW_MS + 30_000)
  assert.equal(nextTryMs(plan, 2, NOW_MS, 60_000, 'none'), NOW_MS + 60_000)
})

test('a Retry-After in seconds or as a date is used, up to an hour, and an invalid one is ignored', () => {
  assert.equal(retryAfterMs('120', NOW_MS), 120_000)
  assert.equal(retryAfterMs(new Date(NOW_MS + 90_000).toUTCString(), NOW_MS), 90_000)
  assert.equal(retryAfterMs('999999', NOW_MS), HOUR_MS)
  assert.equal(retryAfterMs(new Date(NOW_MS - 90_000).toUTCString(), NOW_MS), 0)
  for (const nonsense of [undefined, 'soon', '']) assert.equal(retryAfterMs(nonsense, NOW_MS), undefined)
  assert.equal(
    nextTryMs([5_000], 1, NOW_MS, 60_000, 'equal', () => 0.5),
    NOW_MS + 60_000,
  )
})
