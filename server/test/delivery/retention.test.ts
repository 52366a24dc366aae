import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pino } from 'pino'
import { createPace, createRetention } from '../../src/delivery/retention.ts'
import { createClock } from '../../src/lib/clock.ts'
import type { EventLog } from '../../src/storage/event-log.ts'
import { databasesOf } from '../stage/databases.ts'
import { delivered, events, stageLog } from '../storage/event-log-stage.ts'

const HOUR_MS = 3_600_000
const logger = pino({ level: 'silent' })

const work = (ms: number) => {
  const untilMs = performance.now() + ms
  while (performance.now() < untilMs);
}

for (const flavour of databasesOf(import.meta))
  test(`${flavour}: events past the retention period are deleted within the hour, slice by slice, and newer ones are not`, async () => {
    await using stage = await stageLog(flavour)
    const { log, clock, held } = stage
    await log.append(events(350))
    await Promise.all(held.splice(0).map((delivery) => log.acknowledge(delivery, delivered(clock), null)))
    clock.advance(1.9 * HOUR_MS)
    await log.append(events(2))
    const told = Promise.withResolvers<number>()
    const retention = createRetention({ log, retentionMs: 2 * HOUR_MS, clock, logger, isPaced: true, trimmed: told.resolve })
    retention.wake()
    clock.advance(HOUR_MS)
    assert.equal(await told.promise, 350)
    assert.equal((await log.report({ limit: 10 })).length, 2)
    retention.stop()
  })

test('work in slices takes a thirtieth of the time', async () => {
  const clock = createClock()
  const pace = createPace(clock)
  const startedMs = performance.now()
  for (let slice = 0; slice < 3; slice += 1) {
    work(2)
    assert.equal(await pace.pause(), true)
  }
  assert.ok(performance.now() - startedMs >= 3 * 60, `${performance.now() - startedMs} ms`)
})

test('a pause is at most a second, and after half an hour there is none', async () => {
  let nowMs = 0
  const pauses: number[] = []
  const after = (ms: number, run: () => void) => {
    pauses.push(ms)
    nowMs += ms
    queueMicrotask(run)
    return { cancel() {} }
  }
  const pace = createPace({ ...createClock(), monotonic: () => nowMs, after })
  for (const workMs of [2, 35, 30 * 60_000, 2]) {
    nowMs += workMs
    assert.equal(await pace.pause(), true)
  }
  assert.deepEqual(pauses, [58, 1000])
})

test('what is stopped ends in its pause, and does not begin again', async () => {
  const clock = createClock()
  const pace = createPace(clock)
  work(20)
  const pausing = pace.pause()
  pace.stop()
  assert.equal(await pausing, false)
  assert.equal(await pace.pause(), false)
})

test('a stopped retention deletes nothing more, and leaves no timer', async () => {
  await using stage = await stageLog('sqlite')
  const { log, clock, held } = stage
  await log.append(events(350))
  await Promise.all(held.splice(0).map((delivery) => log.acknowledge(delivery, delivered(clock), null)))
  const told = Promise.withResolvers<number>()
  const retention = createRetention({ log, retentionMs: HOUR_MS, clock, logger, isPaced: true, trimmed: told.resolve })
  retention.wake()
  clock.advance(HOUR_MS + 1)
  retention.stop()
  assert.equal(await told.promise, 50)
  assert.equal((await log.report({ limit: 1000 })).length, 300)
  clock.advance(2 * HOUR_MS)
  assert.equal((await log.report({ limit: 1000 })).length, 300)
})

for (const { isShared, trims } of [
  { isShared: false, trims: 3 },
  { isShared: true, trims: 9 },
])
  test(`a process ${isShared ? 'trims every hour where others append too' : 'alone stops trimming once nothing can be left of its last append'}`, async () => {
    let nowMs = 0
    let due: { atMs: number; run: () => void } | undefined
    const after = (ms: number, run: () => void) => {
      due = { atMs: nowMs + ms, run }
      return { cancel() {} }
    }
    const clock = { now: () => nowMs, after } as unknown as ReturnType<typeof createClock>
    let trimmed = 0
    const trim = async () => {
      trimmed += 1
      return 0
    }
    const log = { trim } as unknown as EventLog
    const retention = createRetention({ log, retentionMs: 2 * HOUR_MS, clock, logger, isPaced: false, isShared })
    retention.wake()
    for (let hour = 1; hour <= 9; hour += 1) {
      nowMs = hour * HOUR_MS
      const ring = due?.atMs === nowMs ? due.run : () => {}
      ring()
      await new Promise(setImmediate)
    }
    assert.equal(trimmed, trims)
    retention.stop()
  })
