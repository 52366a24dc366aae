import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createDeadlines } from '../../src/delivery/send/deadlines.ts'
import { createClock } from '../../src/lib/clock.ts'

interface Named {
  name: string
  dueMs: number
}

/** Deadlines by a clock of which the timers can be counted. */
function stageDeadlines() {
  const clock = createClock()
  let timers = 0
  const counting = {
    ...clock,
    after(delayMs: number, run: () => void) {
      timers += 1
      return clock.after(delayMs, run)
    },
  }
  const expired: string[] = []
  const deadlines = createDeadlines<Named>(counting, ({ name }) => void expired.push(name))
  const due = (name: string, inMs: number) => {
    const item = { name, dueMs: clock.elapsed() + inMs }
    deadlines.add(item)
    return item
  }
  return { clock, expired, deadlines, due, timers: () => timers }
}

test('what was not removed by its deadline expires then, earliest first, and once', () => {
  const { clock, expired, deadlines, due } = stageDeadlines()
  due('c', 30_000)
  due('a', 10_000)
  const removed = due('removed', 10_000)
  due('b', 20_000)
  deadlines.remove(removed)
  clock.advance(9000)
  assert.deepEqual(expired, [])
  clock.advance(1500)
  assert.deepEqual(expired, ['a'])
  clock.advance(10_000)
  assert.deepEqual(expired, ['a', 'b'])
  assert.deepEqual(
    [...deadlines.all()].map(({ name }) => name),
    ['c'],
  )
  clock.advance(60_000)
  assert.deepEqual(expired, ['a', 'b', 'c'])
})

test('there is one timer for many deadlines, and none when nothing is left', () => {
  const { clock, deadlines, due, timers } = stageDeadlines()
  const first = due('a', 10_000)
  for (let n = 0; n < 10; n += 1) deadlines.remove(due(`later ${n}`, 20_000 + n))
  assert.equal(timers(), 1)
  deadlines.add({ name: 'as early', dueMs: first.dueMs })
  assert.equal(timers(), 1)
  deadlines.remove(first)
  clock.advance(60_000)
  assert.equal(timers(), 1)
})
