import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRecentSequences } from '../../src/delivery/stream/feed.ts'

const MINUTE_MS = 60_000

function recentAt() {
  const time = { ms: 0 }
  return { time, recent: createRecentSequences(() => time.ms) }
}

test('what was added before the log is read, and while it is, is not new when it is read', () => {
  const { time, recent } = recentAt()
  assert.deepEqual([recent.add(1), recent.add(2)], [true, true])
  time.ms = MINUTE_MS + 1
  assert.equal(recent.add(3), true)
  recent.compare()
  assert.deepEqual([recent.add(1), recent.add(2), recent.add(3), recent.add(4), recent.add(4)], [false, false, false, true, false])
})

test('what was read from the log is not new when this process commits it a moment later', () => {
  const { time, recent } = recentAt()
  recent.compare()
  assert.equal(recent.add(7), true)
  time.ms = MINUTE_MS
  assert.equal(recent.add(7), false)
})

test('a number is known for a minute at least, also across the end of a generation', () => {
  const { time, recent } = recentAt()
  recent.compare()
  recent.add(1)
  time.ms = MINUTE_MS + 1
  recent.add(2)
  assert.deepEqual([recent.add(1), recent.add(2)], [false, false])
  recent.compare()
  time.ms = 2 * MINUTE_MS + 2
  recent.add(3)
  assert.deepEqual([recent.add(1), recent.add(2), recent.add(3)], [true, false, false])
})

test('of more than 100,000 numbers the oldest are forgotten, whether they are compared or listed', () => {
  for (const compares of [true, false]) {
    const { recent } = recentAt()
    if (compares) recent.compare()
    for (let number = 1; number <= 150_000; number++) recent.add(number)
    recent.compare()
    assert.deepEqual([recent.add(1), recent.add(100_001)], [true, false])
  }
})
