// One fault of each kind on a fleet under load: two processes of each role, a database for the state and three for the event log, each on a
// server of its own. `npm run soak -- --logs 3 --roles` makes a hundred.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runFleetFaults } from '../stage/faults/fault-run.ts'
import { faults, LONGEST_MS } from '../stage/faults/faults.ts'

const KINDS = Object.keys({ ...faults.fleet, ...faults.logs })

test('through a fault of each kind on processes with a role each and three logs, every accepted event arrives at every webhook and stream, what was in flight alone comes twice, and all serve again', async (t) => {
  const seed = Math.floor(Math.random() * 2 ** 32)
  t.diagnostic(`seed ${seed}`)
  const fleet = { logs: 3, isApart: true, awayMs: 10_000 }
  const figures = await runFleetFaults({ fleet, count: KINDS.length, seed })
  t.diagnostic(JSON.stringify(figures))
  assert.deepEqual(figures.faults.map(({ name }) => name).toSorted(), KINDS.toSorted())
  assert.equal(figures.missing, 0)
  assert.ok(figures.accepted > 2000, `only ${figures.accepted} were accepted`)
  for (const { name, servedMs, doubled, allowed } of figures.faults) {
    assert.ok(servedMs <= LONGEST_MS, `${name}: all served again after ${servedMs} ms`)
    assert.ok(doubled <= allowed, `${name}: ${doubled} came twice, and ${allowed} were in flight`)
  }
  assert.ok(figures.memoryBytes < 300e6, `a process had ${figures.memoryBytes} bytes`)
})
