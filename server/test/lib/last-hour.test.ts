import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createClock } from '../../src/lib/clock.ts'
import { followHour } from '../../src/metrics/follow-hour.ts'
import { createLastHour, lastMinuteOf, seriesOf, totalOf } from '../../src/metrics/last-hour.ts'
import { createMetrics } from '../../src/metrics/metrics.ts'

const MINUTE_MS = 60_000

/** The wall clock stands still at the beginning of a bucket until it is moved. */
function stageHour() {
  let wallMs = Date.UTC(2026, 2, 1, 12)
  const clock = createClock(0, () => wallMs)
  const metrics = createMetrics()
  const hour = createLastHour(metrics, () => clock.now())
  return {
    clock,
    hour,
    accept: (count: number) => metrics.deliveries.accepted(count, 0),
    deliver: (latencyMs: number) => metrics.deliveries.attempted({ outcome: 'delivered', latencyMs }, 'live', true),
    answer: (status: number) => metrics.requests.answered('anything', status, 1),
    move(ms: number) {
      wallMs += ms
    },
  }
}

/** The buckets that are not empty: how many of them have begun since, and what they counted. */
const filled = (values: readonly number[]) => values.flatMap((value, place) => (value === 0 ? [] : [[values.length - 1 - place, value]]))

test('each bucket has what was counted in its ten seconds, and after an hour it is gone', () => {
  const { hour, accept, move } = stageHour()
  accept(3)
  move(9_999)
  accept(1)
  hour.sample()
  move(1)
  accept(5)
  move(MINUTE_MS)
  hour.sample()
  const { fromMs, counted } = seriesOf(hour.read())
  assert.equal(new Date(fromMs).toISOString(), '2026-03-01T11:01:20.000Z')
  assert.equal(counted.accepted.length, 360)
  assert.deepEqual(filled(counted.accepted), [[7, 9]])
  assert.equal(totalOf(hour.read()).accepted, 9)
  move(58 * MINUTE_MS + 40_000)
  assert.deepEqual(filled(seriesOf(hour.read()).counted.accepted), [[359, 9]])
  move(10_000)
  assert.equal(totalOf(hour.read()).accepted, 0)
})

test('what is counted goes to the bucket of its time where samples are taken as buckets end', () => {
  const { hour, accept, move } = stageHour()
  for (const count of [1, 2, 3]) {
    hour.sampleEnded()
    accept(count)
    move(10_000)
  }
  assert.deepEqual(filled(seriesOf(hour.read()).counted.accepted), [
    [3, 1],
    [2, 2],
    [1, 3],
  ])
})

test('a timer takes a sample as each bucket ends, until it is ended', () => {
  const clock = createClock()
  let samples = 0
  const end = followHour({ sample: () => void samples++ }, clock)
  clock.advance(MINUTE_MS + 1000)
  // A tick may come a millisecond before the end of a bucket, and is repeated then.
  assert.ok(samples >= 6 && samples <= 14, `${samples} samples`)
  end()
  const before = samples
  clock.advance(MINUTE_MS)
  assert.equal(samples, before)
})

test('a clock that is set back drops the buckets beyond it', () => {
  const { hour, accept, move } = stageHour()
  accept(1)
  hour.sample()
  move(30 * MINUTE_MS)
  hour.sampleEnded()
  accept(2)
  hour.sample()
  move(-20 * MINUTE_MS)
  assert.deepEqual(filled(seriesOf(hour.read()).counted.accepted), [[60, 1]])
  assert.equal(hour.read().sinceMs, Date.UTC(2026, 2, 1, 12))
  move(20 * MINUTE_MS)
  assert.deepEqual(filled(seriesOf(hour.read()).counted.accepted), [[180, 1]])
})

test('rates are those of the last minute, and of less after a start', () => {
  const { hour, accept, move } = stageHour()
  accept(20)
  move(5000)
  assert.deepEqual([lastMinuteOf(hour.read()).accepted, lastMinuteOf(hour.read()).seconds], [20, 5])
  move(70_000)
  hour.sampleEnded()
  accept(6)
  assert.deepEqual([lastMinuteOf(hour.read()).accepted, lastMinuteOf(hour.read()).seconds], [6, 65])
})

test('durations are estimated between their bounds, and refusals counted by their reason', () => {
  const { hour, deliver, answer } = stageHour()
  assert.deepEqual([totalOf(hour.read()).p50Ms, totalOf(hour.read()).p99Ms], [null, null])
  for (let count = 0; count < 98; count++) deliver(20)
  for (let count = 0; count < 2; count++) deliver(60_000)
  assert.deepEqual([totalOf(hour.read()).p50Ms, totalOf(hour.read()).p99Ms], [18, 10_000])
  assert.deepEqual(seriesOf(hour.read()).p50Ms.at(-1), 18)
  for (const status of [200, 302, 400, 401, 401, 403, 404, 409, 429, 500, 503]) answer(status)
  assert.deepEqual(totalOf(hour.read()).refused, {
    invalid: 1,
    unauthorized: 2,
    forbidden: 1,
    not_found: 1,
    rate_limited: 1,
    other: 1,
    failed: 1,
    unavailable: 1,
  })
})
