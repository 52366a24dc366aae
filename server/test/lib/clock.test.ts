import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createClock } from '../../src/lib/clock.ts'

const HOUR_MS = 3_600_000

test('moving the clock runs due timers in order, each at its own time', () => {
  // The wall clock of the machine may step back while the test runs.
  const clock = createClock(0, () => 1_800_000_000_000)
  const start = clock.now()
  const ran: [string, number][] = []
  const note = (name: string) => () => void ran.push([name, Math.round((clock.now() - start) / HOUR_MS)])
  clock.after(3 * HOUR_MS, note('third'))
  clock.after(HOUR_MS, note('first'))
  clock.after(HOUR_MS, () => void clock.after(HOUR_MS, note('second')))
  clock.after(9 * HOUR_MS, note('never'))
  clock.advance(5 * HOUR_MS)
  assert.deepEqual(ran, [
    ['first', 1],
    ['second', 2],
    ['third', 3],
  ])
  // It arrives at a moment of elapsed time, which goes on while the wall clock of this test stands still.
  const missing = 5 * HOUR_MS - (clock.now() - start)
  assert.ok(missing >= 0 && missing < 1000, `${missing}`)
})

test('a cancelled timer does not run', () => {
  const clock = createClock()
  const timer = clock.after(10, () => assert.fail('it ran'))
  timer.cancel()
  clock.advance(HOUR_MS)
})

test('a timer longer than the maximum of setTimeout is one timer', () => {
  const clock = createClock()
  let runs = 0
  clock.after(60 * 24 * HOUR_MS, () => void runs++)
  clock.advance(59 * 24 * HOUR_MS)
  assert.equal(runs, 0)
  clock.advance(2 * 24 * HOUR_MS)
  assert.equal(runs, 1)
})

test('setting the wall clock does not change the remaining time of timers', async () => {
  const clock = createClock()
  clock.advance(48 * HOUR_MS)
  const ran = new Promise<void>((resolve) => void clock.after(5, resolve))
  const alive = setInterval(() => {}, 1000)
  clock.setOffset(0)
  await ran
  clearInterval(alive)
  assert.ok(clock.now() <= Date.now())
})

test('times are always whole milliseconds', () => {
  const clock = createClock()
  clock.after(0.4, () => {})
  clock.advance(1.7)
  assert.ok(Number.isInteger(clock.now()))
})

/** A clock whose wall clock a test steps. */
function stepped() {
  const wall = { steppedMs: 0 }
  return { wall, clock: createClock(0, () => Date.now() + wall.steppedMs) }
}

/** Timers do not keep a process alive, so a test that waits for one must. */
async function alive(done: Promise<void>) {
  const timer = setInterval(() => {}, 1000)
  await done
  clearInterval(timer)
}

test('a timer runs after its time, however the wall clock steps back', async () => {
  const { wall, clock } = stepped()
  const ran = new Promise<void>((resolve) => void clock.after(5, resolve))
  wall.steppedMs = -HOUR_MS
  await alive(ran)
})

test('a step of the wall clock forward makes no timer due', async () => {
  const { wall, clock } = stepped()
  const timer = clock.after(HOUR_MS, () => assert.fail('it ran'))
  wall.steppedMs = 2 * HOUR_MS
  clock.advance(HOUR_MS - 1000)
  await alive(new Promise((resolve) => void clock.after(5, resolve)))
  timer.cancel()
})

test('elapsed time does not follow a step of the wall clock, and does follow a move by hand', () => {
  const { wall, clock } = stepped()
  const start = clock.elapsed()
  wall.steppedMs = -HOUR_MS
  assert.ok(clock.elapsed() - start < HOUR_MS)
  clock.advance(HOUR_MS)
  assert.ok(clock.elapsed() - start >= HOUR_MS)
})

test('a timer for a date waits for the wall clock, whichever way that is stepped', () => {
  const { wall, clock } = stepped()
  let runs = 0
  clock.at(clock.now() + HOUR_MS, () => void runs++)
  wall.steppedMs = -HOUR_MS
  clock.advance(HOUR_MS)
  assert.equal(runs, 0)
  wall.steppedMs = 0
  clock.advance(10_000)
  assert.equal(runs, 1)
})
