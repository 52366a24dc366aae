import assert from 'node:assert/strict'
import { test } from 'node:test'
import { flavours } from '../stage/database.ts'
import { REPLAY_PAGE, runKills } from '../stage/kill-run.ts'

const KILLS = 10
const REPLAYED = 2_000

for (const flavour of flavours)
  test(`${flavour}: after ${KILLS} times kill -9 under load nothing accepted is missing, and only unacknowledged events are repeated`, async (t) => {
    const seed = Math.floor(Math.random() * 2 ** 32)
    t.diagnostic(`seed ${seed}`)
    const figures = await runKills({ flavour, kills: KILLS, replayed: REPLAYED, seed })
    const { kills, accepted, missing, replays, replayDuplicates, statuses } = figures
    t.diagnostic(JSON.stringify(figures))
    assert.equal(kills.length, KILLS)
    assert.ok(accepted > 100 * KILLS, `only ${accepted} were accepted`)
    assert.equal(missing, 0)
    assert.deepEqual(
      kills.filter(({ duplicates, bound }) => duplicates > bound),
      [],
    )
    assert.ok(replays.length > 0)
    for (const { state, delivered, failed, reported } of replays)
      assert.deepEqual([state, delivered + failed, reported], ['complete', REPLAYED, true])
    assert.ok(statuses >= replays.length)
    assert.ok(replayDuplicates <= REPLAY_PAGE * KILLS, `${replayDuplicates} of replays came again`)
  })
