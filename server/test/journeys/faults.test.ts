import assert from 'node:assert/strict'
import { test } from 'node:test'
import { databasesOf } from '../stage/databases.ts'
import { runFaults } from '../stage/faults/fault-run.ts'

/** Those that take no long wait; `npm run soak` has them all. */
const NAMES = ['kill', 'clock step', 'full disk']

for (const flavour of databasesOf(import.meta))
  test(`${flavour}: through a kill, a clock step and a full disk nothing accepted is lost, and every process serves again`, async (t) => {
    const seed = Math.floor(Math.random() * 2 ** 32)
    t.diagnostic(`seed ${seed}`)
    const figures = await runFaults({ flavour, count: NAMES.length, seed, names: NAMES })
    t.diagnostic(JSON.stringify(figures))
    assert.ok(figures.faults.length >= 2)
    assert.deepEqual(
      figures.faults.filter(({ servedMs }) => servedMs > 30_000),
      [],
    )
    assert.ok(figures.accepted > 400, `only ${figures.accepted} were accepted`)
    assert.equal(figures.missing, 0)
  })
