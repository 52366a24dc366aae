import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createFleetHour } from '../../src/delivery/fleet/fleet-hour.ts'
import { createClock } from '../../src/lib/clock.ts'
import { createLastHour, totalOf } from '../../src/metrics/last-hour.ts'
import { createMetrics } from '../../src/metrics/metrics.ts'
import type { HourPart } from '../../src/storage/hour-parts.ts'

const MINUTE_MS = 60_000

/** Two processes that share what is saved, on one clock that is moved by hand. Neither answers the other. */
function stageProcesses() {
  // In the middle of a bucket: the clock that stands still falls behind the timers by what a slow machine takes.
  const wallMs = Date.UTC(2026, 2, 1, 12, 0, 5)
  const clock = createClock(0, () => wallMs)
  const saved: HourPart[] = []
  const living = new Set([0, 1])
  const parts = {
    async save(part: HourPart, oldest: number) {
      saved.push(part)
      for (let place = saved.length - 1; place >= 0; place--) if (saved[place]!.bucket < oldest) saved.splice(place, 1)
    },
    since: async (oldest: number) => saved.filter(({ bucket }) => bucket >= oldest),
  }
  const processOf = (worker: number) => {
    const metrics = createMetrics()
    const lastHour = createLastHour(metrics, () => clock.now())
    const reports = { ask: async () => ({ others: [], heardMs: undefined }) }
    const fleet = createFleetHour({
      lastHour,
      reports,
      parts,
      livingWorkers: async () => [...living],
      clock,
      self: `process ${worker}`,
      worker,
    })
    fleet.start()
    return { ...fleet, accept: (count: number) => metrics.deliveries.accepted(count, 0) }
  }
  return {
    one: processOf(0),
    other: processOf(1),
    saved,
    living,
    /** A step of a minute; what is saved meanwhile is waited for. */
    async pass(minutes: number) {
      for (let minute = 0; minute < minutes; minute++) {
        clock.advance(MINUTE_MS)
        await new Promise(setImmediate)
      }
    },
  }
}

test('a process saves each minute what it counted, and nothing where it counted nothing', async () => {
  const { one, other, saved, pass } = stageProcesses()
  one.accept(3)
  await pass(2)
  assert.deepEqual(
    saved.map(({ process, rows }) => [process, (rows as number[][]).map(([, accepted]) => accepted)]),
    [['process 0', [3]]],
  )
  await one.stop()
  await other.stop()
  assert.equal(saved.length, 1)
})

test('what a process has saved is counted where it does not answer, and until an hour after it has died', async () => {
  const { one, other, living, pass } = stageProcesses()
  one.accept(1)
  other.accept(5)
  const read = async () => {
    const { hour, covers } = await one.read()
    return [totalOf(hour).accepted, covers.map(({ worker, state }) => [worker, state])]
  }
  assert.deepEqual(await read(), [
    1,
    [
      [0, 'answers'],
      [1, 'silent'],
    ],
  ])
  await pass(1)
  assert.deepEqual(await read(), [
    6,
    [
      [0, 'answers'],
      [1, 'silent'],
    ],
  ])
  living.delete(1)
  await pass(30)
  assert.deepEqual(await read(), [
    6,
    [
      [0, 'answers'],
      [1, 'ended'],
    ],
  ])
  await pass(30)
  assert.deepEqual(await read(), [0, [[0, 'answers']]])
  await one.stop()
  await other.stop()
})
