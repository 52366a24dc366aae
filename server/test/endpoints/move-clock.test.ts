import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setStage } from '../stage/postern.ts'

const YEAR_MS = 31_622_400_000 // 366 days

test('the clock moves at most 366 days at once, forward by `advance` and `set`, and either way by `step`', async () => {
  await using stage = await setStage()
  const move = async (json: object) => (await stage.operator('POST', '/operator/clock', json)).status
  for (const ms of [YEAR_MS, 0]) assert.equal(await move({ advance: `${ms}ms` }), 200)
  assert.equal(await move({ advance: `${YEAR_MS + 1}ms` }), 400)
  for (const [ms, status] of [
    [YEAR_MS, 200],
    [YEAR_MS + 1, 400],
  ] as const) {
    assert.equal(await move({ step: `-${ms}ms` }), status)
    assert.equal(await move({ step: `${ms}ms` }), status)
  }
  const now = stage.clock.now()
  assert.equal(await move({ set: new Date(now - 60_000).toISOString() }), 400, 'the past')
  assert.equal(await move({ set: new Date(now + YEAR_MS + 60_000).toISOString() }), 400, 'more than 366 days ahead')
  assert.equal(await move({ set: new Date(now + 60_000).toISOString() }), 200)
})
