import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createClock } from '../../src/lib/clock.ts'
import { createIds, createRequestIds, createSequence, momentOf, publicId, sequenceAt, sequenceOf, WORKER_LIMIT } from '../../src/lib/ids.ts'

const HOUR_MS = 3_600_000

test('sequence numbers grow, never repeat, and contain their time', () => {
  const clock = createClock()
  const sequence = createSequence(clock)
  const made = Array.from({ length: 20_000 }, () => sequence.next())
  for (let index = 1; index < made.length; index += 1) assert.ok(made[index]! > made[index - 1]!)
  assert.ok(made.every(Number.isSafeInteger))
  assert.ok(Math.abs(momentOf(made[0]!) - clock.now()) < 1000)
  const earlierMs = clock.now() - 5
  assert.equal(momentOf(sequenceAt(earlierMs)), earlierMs)
})

test('processes that share a database never make the same id', () => {
  const clock = createClock()
  const makers = [0, 1, 63].map((worker) => createIds(clock, worker))
  const made = Array.from({ length: 1000 }, () => makers.map((ids) => ids.next())).flat()
  assert.equal(new Set(made).size, made.length)
  for (const id of made) assert.match(id, /^[0-9]{1,19}$/)
})

test('processes never give two requests the same id', () => {
  const makers = [createRequestIds(), createRequestIds(), createRequestIds()]
  const made = Array.from({ length: 1000 }, () => makers.map((next) => next())).flat()
  assert.equal(new Set(made).size, 3000)
  assert.ok(made.every(Number.isSafeInteger))
})

test('a clock that goes back never makes a number twice', () => {
  const clock = createClock()
  const before = createSequence(clock)
  clock.advance(3_600_000)
  const last = before.next()
  clock.setOffset(0)
  const after = createSequence(clock)
  after.skipPast(last)
  assert.ok(after.next() > last)
})

test('a public id decodes to its sequence number, and a foreign one to none or another', () => {
  const sequence = createSequence(createClock()).next()
  assert.equal(sequenceOf(publicId(sequence)), sequence)
  for (const id of ['', 'x', '-1', '12345678901234567890']) assert.equal(sequenceOf(id), undefined)
})

test('two thousand ids a second through a repeated hour run less than two minutes ahead', () => {
  const atMs = 1_800_000_000_000
  let nowMs = atMs
  const clock = { ...createClock(), now: () => nowMs }
  const ids = createSequence(clock, 7, Math.log2(WORKER_LIMIT))
  const momentAfter = () => momentOf(ids.next())
  assert.equal(momentAfter(), atMs)
  nowMs -= HOUR_MS
  for (let second = 0; second < 3600; second++) {
    for (let n = 0; n < 2000; n++) ids.next()
    nowMs += 1000
  }
  assert.ok(momentAfter() < atMs + 120_000)
  nowMs = atMs + 120_000
  assert.equal(momentAfter(), nowMs)
})

test('uuids of events made beside the log are never what the log derives from its own numbers', () => {
  const clock = { ...createClock(), now: () => Date.parse('2026-03-01T12:00:00Z') }
  const [ids, sequence] = [createIds(clock), createSequence(clock)]
  const derived = new Set(Array.from({ length: 5000 }, () => publicId(sequence.next())))
  const made = Array.from({ length: 5000 }, () => ids.nextEventUuid())
  assert.equal(new Set(made).size, 5000)
  assert.deepEqual(
    made.filter((uuid) => derived.has(uuid)),
    [],
  )
})

test('a number that was used while the clock was ahead is never used again, whichever earlier times the clock goes back to', () => {
  let nowMs = 1_800_000_000_000
  let offsetMs = 0
  const clock = { ...createClock(), now: () => nowMs + offsetMs, offset: () => offsetMs }
  const sequence = createSequence(clock)
  const goTo = (ms: number) => {
    offsetMs = ms
    sequence.restart()
  }
  goTo(HOUR_MS)
  const used = [sequence.next(), sequence.next(), sequence.next()]
  goTo(0)
  sequence.passOver(used)
  goTo(2 * HOUR_MS)
  goTo(HOUR_MS)
  const after = sequence.next()
  assert.deepEqual([used.includes(after), after], [false, used[2]! + 1])
  nowMs += HOUR_MS
  goTo(0)
  assert.equal(sequence.next(), used[2]! + 1)
})
