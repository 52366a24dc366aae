import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { cases } from '../stage/cases.ts'
import { databasesOf } from '../stage/databases.ts'
import { type KillRunOptions, REPLAY_PAGE, runKills } from '../stage/kill-run.ts'

const KILLS = cases(1, 10)
const REPLAYED = cases(300, 2_000)

/** Kills a server so often, and checks what came of everything that it had accepted. */
async function survivesKills(t: TestContext, options: Pick<KillRunOptions, 'flavour' | 'kills'>) {
  const seed = Math.floor(Math.random() * 2 ** 32)
  t.diagnostic(`seed ${seed}`)
  const figures = await runKills({ ...options, replayed: REPLAYED, seed })
  const { kills, accepted, missing, replays, replayDuplicates, statuses } = figures
  t.diagnostic(JSON.stringify(figures))
  assert.equal(kills.length, options.kills)
  assert.ok(accepted > 20 * options.kills, `only ${accepted} were accepted`)
  assert.equal(missing, 0)
  assert.deepEqual(
    kills.filter(({ duplicates, bound }) => duplicates > bound),
    [],
  )
  assert.ok(replays.length > 0)
  for (const { state, delivered, failed, reported } of replays)
    assert.deepEqual([state, delivered + failed, reported], ['complete', REPLAYED, true])
  assert.ok(statuses >= replays.length)
  assert.ok(replayDuplicates <= REPLAY_PAGE * options.kills, `${replayDuplicates} of replays came again`)
}

for (const flavour of databasesOf(import.meta))
  test(`${flavour}: after kill -9 (${KILLS} times) under load nothing accepted is missing, and only unacknowledged events are repeated`, (t) =>
    survivesKills(t, { flavour, kills: KILLS }))
