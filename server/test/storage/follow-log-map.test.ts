// What becomes of the map of the event logs when it cannot be read at once. several-logs.test.ts and open-several-logs.test.ts move slots.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { pino } from 'pino'
import { createClock } from '../../src/lib/clock.ts'
import { HOUR_MS } from '../../src/lib/time.ts'
import type { Change } from '../../src/storage/changes.ts'
import { guardOnlyLog } from '../../src/storage/guard-only-log.ts'
import { createSlots } from '../../src/storage/log/several/move-slots.ts'
import { assign, divideEvenly, forget, type LogMap, placesOf } from '../../src/storage/log-map.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { DatabaseAway, Unavailable } from '../../src/storage/unavailable.ts'

const logger = pino({ level: 'silent' })
const entry = (log: number) => ({ log, identity: `state ${log}`, place: `db${log}`, isOfState: log === 1 })
const ofOne = assign({ state: 'state', epoch: 0, logs: [entry(1), entry(2)], assignments: [] }, divideEvenly([1]), 0)
const ofTwo = assign(ofOne, new Map([[0, 2]]), 0)

/** A storage whose map another process has changed to `ofTwo`, and which cannot be read so many times. */
function stageChange(failures: number) {
  const clock = createClock()
  let tell: (change: Change) => void = () => {}
  let reads = 0
  const storage = {
    logMapAtStart: ofOne,
    logMap: {
      async read(): Promise<LogMap> {
        reads += 1
        if (reads <= failures) throw new DatabaseAway('The connection was lost.')
        return ofTwo
      },
    },
    changes: { listen: (listener: typeof tell) => (tell = listener) },
  } as unknown as Storage
  return {
    clock,
    storage,
    reads: () => reads,
    async change() {
      tell({ kind: 'logs' })
      await turn()
    },
    async pass(ms: number) {
      clock.advance(ms)
      await turn()
    },
  }
}

test('a process knows of a move within a second of being able to read it, although it could not at its message', async () => {
  const { storage, clock, change, pass, reads } = stageChange(2)
  const slots = createSlots(ofOne, { storage, members: new Map(), clock, logger })
  await change()
  assert.equal(slots.places()[0]!.log, 1)
  await pass(1_000)
  assert.equal(slots.places()[0]!.log, 1)
  await pass(1_000)
  assert.equal(slots.places()[0]!.log, 2)
  await pass(60_000)
  assert.equal(reads(), 3, 'it has been read')
})

test('a process that knows one log takes no events while it cannot read whether others have a part, and none once it has', async () => {
  const { storage, clock, change, pass } = stageChange(1)
  const { assertOnly } = guardOnlyLog(storage, clock, logger)
  assertOnly()
  await change()
  assert.throws(assertOnly, DatabaseAway)
  await pass(1_000)
  assert.throws(assertOnly, (error) => error instanceof Unavailable && /was divided between several databases/.test(error.message))
})

test('a map that cannot be read is not read any more once the log was closed', async () => {
  const { storage, clock, change, pass, reads } = stageChange(9)
  const slots = createSlots(ofOne, { storage, members: new Map(), clock, logger })
  await change()
  slots.stop()
  await pass(60_000)
  await change()
  assert.equal(reads(), 1)
})

test('a process that hears of a move while it forgets a former one does not fall back to the map before', async () => {
  const { storage, clock, change } = stageChange(0)
  const ofNone = { ...ofOne, assignments: [...ofOne.assignments, { ...ofOne.assignments[0]!, log: 2 }] }
  const slots = createSlots(ofNone, { storage, members: new Map(), clock, logger })
  const { read } = storage.logMap
  const before = Promise.withResolvers<LogMap>()
  storage.logMap.read = () => before.promise
  const forgetting = slots.forgetOld()
  await turn()
  storage.logMap.read = read
  await change()
  assert.equal(slots.map(), ofTwo)
  before.resolve(ofNone)
  await forgetting
  assert.equal(slots.map(), ofTwo)
})

test('an empty log that had a slot is asked for an hour after the move, as one with events is until they are that much newer', () => {
  const movedMs = 5_000
  const moved = assign(ofOne, new Map([[0, 2]]), movedMs)
  const isForgotten = (nowMs: number, oldestMs: number | undefined | null) => forget(moved, nowMs, () => oldestMs) !== moved
  assert.deepEqual(
    [
      isForgotten(movedMs, undefined),
      isForgotten(movedMs + HOUR_MS - 1, undefined),
      isForgotten(movedMs + HOUR_MS, undefined),
      isForgotten(movedMs + 2 * HOUR_MS, movedMs + HOUR_MS - 1),
      isForgotten(movedMs + 2 * HOUR_MS, movedMs + HOUR_MS),
      isForgotten(movedMs + 2 * HOUR_MS, null),
    ],
    [false, false, true, false, true, false],
  )
})

test('a slot that was moved away and back has no former log once the events of before have left both', () => {
  const back = assign(assign(ofOne, new Map([[0, 2]]), 1_000), new Map([[0, 1]]), 2_000)
  const inTurn = (oldestMs: Record<number, number>) => placesOf(forget(back, 9 * HOUR_MS, (log) => oldestMs[log]))[0]!
  assert.deepEqual(
    [
      inTurn({ 1: 0, 2: 0 }),
      inTurn({ 1: 1_000 + HOUR_MS, 2: 0 }),
      inTurn({ 1: 0, 2: 2_000 + HOUR_MS }),
      inTurn({ 1: 1_000 + HOUR_MS, 2: 2_000 + HOUR_MS }),
    ],
    [
      {
        log: 1,
        former: [
          { log: 1, untilMs: 1_000 },
          { log: 2, untilMs: 2_000 },
        ],
      },
      { log: 1, former: [{ log: 2, untilMs: 2_000 }] },
      { log: 1, former: [] },
      { log: 1, former: [] },
    ],
  )
})
