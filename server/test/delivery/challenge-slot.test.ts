import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nextChallengeAtMs } from '../../src/delivery/challenge-slot.ts'
import { createClock } from '../../src/lib/clock.ts'
import { createIds } from '../../src/lib/ids.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000
const NOW_MS = 1_800_000_000_000

/** How many of the challenges of these webhooks are due in each minute of the coming hour. */
function perMinute(ids: readonly string[]): number[] {
  const counts: number[] = Array(60).fill(0)
  for (const id of ids) counts[Math.floor((nextChallengeAtMs(id, NOW_MS) - NOW_MS - 1) / MINUTE_MS)]! += 1
  return counts
}

test('no minute has more than 1.5 times its share of the challenges of 100,000 webhooks, whether their ids are consecutive or were made at once', () => {
  const { next } = createIds(createClock())
  for (const ids of [Array.from({ length: 100_000 }, (_, n) => String(n)), Array.from({ length: 100_000 }, next)]) {
    const counts = perMinute(ids)
    assert.equal(
      counts.reduce((sum, count) => sum + count),
      100_000,
    )
    assert.ok(Math.max(...counts) <= 2500, `${Math.max(...counts)} in a minute; the mean is 1,667`)
  }
})

test('the next challenge is an hour after the slot that has just come, and within the hour before', () => {
  const slotMs = nextChallengeAtMs('10', NOW_MS)
  assert.ok(slotMs > NOW_MS && slotMs <= NOW_MS + HOUR_MS)
  assert.equal(nextChallengeAtMs('10', slotMs - 1), slotMs)
  assert.equal(nextChallengeAtMs('10', slotMs), slotMs + HOUR_MS)
  assert.equal(nextChallengeAtMs('10', slotMs + 30 * MINUTE_MS), slotMs + HOUR_MS)
})
